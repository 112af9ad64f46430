#include "ui/source/source_languages.h"

namespace tilescope {

TextEditor::Language cuda_language() {
  TextEditor::Language language = *TextEditor::Language::Cpp();
  language.name = "CUDA C++";
  // Types join the keywords, so that the colour of declarations is free for a kernel's parameters.
  language.keywords.insert(language.declarations.begin(), language.declarations.end());
  for (const char* word :
       {"__global__", "__device__", "__host__", "__shared__", "__constant__", "__restrict__",
        "__launch_bounds__", "__forceinline__", "__noinline__"}) {
    language.declarations.insert(word);
  }
  for (const char* word :
       {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "__syncthreads", "__syncwarp",
        "__shfl_sync", "__ldg", "float2", "float4", "int2", "int4", "dim3", "TILESCOPE_PHASE"}) {
    language.identifiers.insert(word);
  }
  return language;
}

TextEditor::Language ptx_language() {
  TextEditor::Language language = *TextEditor::Language::C();
  language.name = "PTX";
  language.preprocess = 0;
  language.keywords.clear();
  language.declarations.clear();
  language.identifiers.clear();
  for (const char* word :
       {"ld",   "st",  "mov",  "add",  "sub",    "mul",     "mad",  "fma",  "setp",
        "selp", "bra", "ret",  "exit", "bar",    "barrier", "cp",   "cvta", "cvt",
        "shl",  "shr", "and",  "or",   "xor",    "not",     "min",  "max",  "neg",
        "div",  "rem", "atom", "red",  "membar", "fence",   "shfl", "vote"}) {
    language.keywords.insert(word);
  }
  for (const char* word :
       {"reg", "param", "entry", "visible", "func", "shared", "global", "local", "const", "align",
        "version", "target", "address_size", "loc", "file", "section", "maxntid", "minnctapersm"}) {
    language.declarations.insert(word);
  }
  return language;
}

TextEditor::Language machine_language() {
  TextEditor::Language language = *TextEditor::Language::C();
  language.name = "SASS";
  language.preprocess = 0;
  language.keywords.clear();
  language.declarations.clear();
  language.identifiers.clear();
  for (const char* word :
       {"LDG", "STG", "LDS", "STS", "LDL", "STL", "LD", "ST", "LDSM", "STSM", "LDGSTS", "ATOM",
        "ATOMG", "ATOMS", "RED", "REDG", "LDC", "ULDC", "LDCU"}) {
    language.keywords.insert(word);
  }
  for (const char* word : {"BAR", "BRA", "EXIT", "BSSY", "BSYNC", "CALL", "RET", "WARPSYNC",
                           "DEPBAR", "LDGDEPBAR", "BRX"}) {
    language.declarations.insert(word);
  }
  for (const char* word : {"FFMA", "FADD", "FMUL", "HMMA", "IMMA", "DMMA", "DFMA", "DADD", "DMUL",
                           "HFMA2", "HADD2", "HMUL2", "MUFU"}) {
    language.identifiers.insert(word);
  }
  return language;
}

}  // namespace tilescope
