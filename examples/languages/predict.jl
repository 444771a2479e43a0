# Answers a text with a model: julia predict.jl FOLDER TEXT
const heed = "libheed.so.0"

# Ends the program after a failed call.
function check(code)
    code == 0 && return
    message = unsafe_string(ccall((:heed_error_message, heed), Cstring, ()))
    println(stderr, "error $code: $message")
    exit(1)
end

# A JSON string of a text.
function quoted(text)
    escaped = map(collect(text)) do c
        c in ('"', '\\') || c < ' ' ? "\\u" * string(UInt32(c); base=16, pad=4) : string(c)
    end
    return "\"" * join(escaped) * "\""
end

if length(ARGS) != 2
    println(stderr, "usage: predict.jl FOLDER TEXT")
    exit(2)
end
request = "{\"text\": $(quoted(ARGS[2]))}"
model = Ref{Ptr{Cvoid}}()
answer = Ref{Ptr{Cvoid}}()
text = Ref{Cstring}()
check(ccall((:heed_model_open, heed), Int32, (Cstring, Ptr{UInt8}, Csize_t, Ref{Ptr{Cvoid}}),
            ARGS[1], C_NULL, 0, model))
check(ccall((:heed_model_run, heed), Int32,
            (Ptr{Cvoid}, Cstring, Ptr{UInt8}, Csize_t, Ptr{Cvoid}, Ref{Ptr{Cvoid}}),
            model[], "predict", request, sizeof(request), C_NULL, answer))
check(ccall((:heed_answer_text, heed), Int32, (Ptr{Cvoid}, Ref{Cstring}, Ptr{Csize_t}),
            answer[], text, C_NULL))
println(unsafe_string(text[]))
ccall((:heed_answer_free, heed), Cvoid, (Ptr{Cvoid},), answer[])
ccall((:heed_model_free, heed), Cvoid, (Ptr{Cvoid},), model[])
