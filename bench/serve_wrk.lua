-- Translations by wrk (Debian), sentence after sentence of a file:
--   wrk -t 1 -c 32 -d 20s --latency -s bench/serve_wrk.lua http://127.0.0.1:5000/translate -- TEXT SOURCE TARGET
-- With -c 1: sentences one by one.
local bodies, place = {}, 0

local function quoted(text)
  return '"' .. text:gsub('[\\"]', "\\%0"):gsub("%c", " ") .. '"'
end

function init(args)
  local path, source, target = args[1], args[2] or "en", args[3] or "de"
  assert(path, "a file of sentences is needed behind --")
  for line in io.lines(path) do
    table.insert(bodies, string.format('{"q": %s, "source": "%s", "target": "%s"}',
                                       quoted(line), source, target))
  end
end

function request()
  place = place % #bodies + 1
  return wrk.format("POST", nil, { ["Content-Type"] = "application/json" }, bodies[place])
end

function done(summary, latency)
  local refused = summary.errors.status + summary.errors.read + summary.errors.timeout
  print(string.format("%.0f translations/s, 99 %% within %.1f ms, %d failed",
                      (summary.requests - refused) / summary.duration * 1e6,
                      latency:percentile(99) / 1e3, refused))
end
