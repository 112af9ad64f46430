#include "analysis/fact_words.h"

#include <cctype>

namespace tilescope {

std::string inside_a_sentence(std::string fact) {
  const bool is_word =
      fact.size() > 1 && (std::islower(static_cast<unsigned char>(fact[1])) || fact[1] == ' ');
  if (is_word) fact[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(fact[0])));
  return fact;
}

}  // namespace tilescope
