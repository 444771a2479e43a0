// heed: trains, runs and explains attention models.
#include "apps/heed/main.h"

int main(int argc, char** argv) { return heed::Main(argc, argv); }
