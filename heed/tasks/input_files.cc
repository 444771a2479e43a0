#include "heed/tasks/input_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "heed/base/errors.h"
#include "heed/io/file.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStandardInput = "-";

/// Calls body(path, key) for each path of the settings; `body` may change it.
void ForEachPath(TaskSettings& settings,
                 const std::function<void(std::string& path,
                                          const std::string& key)>& body) {
  FieldList list;
  settings.VisitAll(list);
  for (const Field& field : list.fields()) {
    if (!IsPath(field)) continue;
    if (field.IsList()) {
      for (std::string& path :
           *std::get<std::vector<std::string>*>(field.target)) {
        body(path, field.key);
      }
    } else {
      std::string& path = *std::get<std::string*>(field.target);
      if (!path.empty()) body(path, field.key);
    }
  }
}

/// True if a path can be read only once or only by this process: standard
/// input, a pipe, a socket, or a file of /dev or /proc.
bool IsStream(const std::string& path) {
  if (path == kStandardInput) return true;
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0) return false;  // reading reports it
  if (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode)) return true;
  const std::string real = fs::absolute(path).lexically_normal().string();
  return S_ISREG(info.st_mode) &&
         (real.starts_with("/dev/") || real.starts_with("/proc/"));
}

void AddFilesOf(const std::string& path, const Field& field,
                std::vector<std::string>& files) {
  if (path.find_first_of("*?[") == std::string::npos || fs::exists(path)) {
    files.push_back(path);
    return;
  }
  glob_t found = {};
  const int status = glob(path.c_str(), 0, nullptr, &found);
  const std::unique_ptr<glob_t, void (*)(glob_t*)> closer(&found, globfree);
  if (status != 0 && status != GLOB_NOMATCH) {
    throw IoError("cannot read the files of {}", path);
  }
  if (found.gl_pathc == 0) {
    throw ConfigError("{}: no file is called like {}", field.OptionName(),
                      path);
  }
  files.insert(files.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
}

/// Copies a stream into a file. Returns its size in bytes.
int64_t CopyStream(const std::string& from, const std::string& name,
                   const std::string& to) {
  const int fd = from == kStandardInput
                     ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                     : open(from.c_str(), O_RDONLY | O_CLOEXEC);
  const auto fail = [&name] {
    throw IoError("cannot read {}: {}", name, std::strerror(errno));
  };
  if (fd < 0) fail();
  const std::unique_ptr<const int, void (*)(const int*)> closer(
      &fd, [](const int* open_fd) { close(*open_fd); });
  AtomicFile file(to);
  std::vector<char> buffer(size_t{1} << 20);
  int64_t size = 0;
  for (;;) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail();
    if (got == 0) break;
    file.Write(buffer.data(), static_cast<size_t>(got));
    size += got;
  }
  file.Commit();
  return size;
}

}  // namespace

bool IsPath(const Field& field) {
  const Any* any = std::get_if<Any>(&field.constraint);
  return any != nullptr &&
         (any->placeholder == "FILE" || any->placeholder == "DIR");
}

void ExpandPatterns(const FieldList& list) {
  for (const Field& field : list.fields()) {
    if (!IsPath(field) || !field.IsList()) continue;
    std::vector<std::string> files;
    auto& given = *std::get<std::vector<std::string>*>(field.target);
    for (const std::string& path : given) AddFilesOf(path, field, files);
    given = std::move(files);
  }
}

void RefuseStreams(TaskSettings& settings) {
  ForEachPath(settings, [](const std::string& path, const std::string& key) {
    if (!IsStream(path)) return;
    throw ConfigError(
        "{} {}: several processes cannot read one stream; write it to a file",
        key, path);
  });
}

void KeepStreams(TaskSettings& settings, const OutFolder& out) {
  int readers = 0;
  ForEachPath(settings,
              [&](const std::string& path, const std::string& /*key*/) {
                readers += path == kStandardInput ? 1 : 0;
              });
  if (readers > 1) {
    throw ConfigError("standard input ('-') can be read only once");
  }
  int copies = 0;
  ForEachPath(settings, [&](std::string& path, const std::string& key) {
    if (!IsStream(path)) return;
    const std::string name = path == kStandardInput ? "standard input" : path;
    const std::string folder = out.PathOf(kInputFolder);
    fs::create_directories(folder);
    const std::string file = fmt::format("{}-{}", ++copies, key);
    const std::string copy = PathIn(folder, file);
    const int64_t size = CopyStream(path, name, copy);
    path = copy;
    Progress().Log(
        fmt::format("{}: {:.1f} MB, kept for --resume as {}", name,
                    static_cast<double>(size) / 1e6,
                    PathIn(PathIn(out.folder(), kInputFolder), file)));
  });
}

void MakePathsAbsolute(TaskSettings& settings, const OutFolder& out) {
  ForEachPath(settings, [&](std::string& path, const std::string& /*key*/) {
    const fs::path given = path;
    path = given.parent_path() == out.PathOf(kInputFolder)
               ? (kInputFolder / given.filename()).string()
               : fs::absolute(given).string();
  });
}

void FindKeptInput(TaskSettings& settings, const std::string& folder) {
  ForEachPath(settings, [&](std::string& path, const std::string& /*key*/) {
    if (fs::path(path).parent_path() == kInputFolder) {
      path = PathIn(folder, path);
    }
  });
}

}  // namespace heed
