// Of the command line of CUDA's samples: flags and values as -name=value, with one dash or two.
#ifndef TILESCOPE_HELPER_STRING
#define TILESCOPE_HELPER_STRING
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#ifndef STRCASECMP
#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#define STRCPY(to, bytes, from) strcpy(to, from)
#define FOPEN(handle, name, mode) (handle = fopen(name, mode))
#define FOPEN_FAIL(result) (result == NULL)
#define SSCANF sscanf
#define SPRINTF sprintf
#endif

// What follows the name: "" for a flag, NULL where the argument is not there.
inline const char* tilescope_value_of(int count, const char** arguments, const char* name) {
  const size_t length = strlen(name);
  for (int i = 1; i < count; ++i) {
    const char* word = arguments[i] + strspn(arguments[i], "-");
    if (word == arguments[i] || strncasecmp(word, name, length) != 0) continue;
    if (word[length] == '\0') return word + length;
    if (word[length] == '=') return word + length + 1;
  }
  return NULL;
}
inline bool checkCmdLineFlag(int count, const char** arguments, const char* name) {
  return tilescope_value_of(count, arguments, name) != NULL;
}
inline int getCmdLineArgumentInt(int count, const char** arguments, const char* name) {
  const char* value = tilescope_value_of(count, arguments, name);
  return value == NULL ? 0 : atoi(value);
}
inline float getCmdLineArgumentFloat(int count, const char** arguments, const char* name) {
  const char* value = tilescope_value_of(count, arguments, name);
  return value == NULL ? 0.0f : static_cast<float>(atof(value));
}
template <class T>
inline bool getCmdLineArgumentValue(int count, const char** arguments, const char* name, T* to) {
  const char* value = tilescope_value_of(count, arguments, name);
  if (value != NULL) *to = static_cast<T>(atof(value));
  return value != NULL;
}
inline bool getCmdLineArgumentString(int count, const char** arguments, const char* name,
                                     char** to) {
  const char* value = tilescope_value_of(count, arguments, name);
  *to = const_cast<char*>(value);
  return value != NULL;
}
// A file of the program's, in the folder where it runs, in data/ there or in those above; NULL.
inline char* sdkFindFilePath(const char* name, const char* = NULL) {
  for (const char* folder : {"./", "./data/", "../", "../data/", "../../data/", "../../../data/"}) {
    const std::string path = std::string(folder) + name;
    if (FILE* file = fopen(path.c_str(), "rb")) {
      fclose(file);
      return strdup(path.c_str());
    }
  }
  return NULL;
}
#endif
