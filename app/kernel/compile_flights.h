#pragma once
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>

namespace tilescope {

// What is being compiled right now in this process, by its digest: who wants the same a moment
// later waits and finds it in the cache, instead of compiling it a second time.
class CompileFlights {
 public:
  // Holds the digest; the constructor waits while another one holds it.
  class Turn {
   public:
    Turn(CompileFlights& flights, std::string digest);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    CompileFlights& flights_;
    std::string digest_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable landed_;
  std::set<std::string> under_way_;
};

}  // namespace tilescope
