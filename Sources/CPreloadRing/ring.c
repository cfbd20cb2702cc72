#include "preload_ring.h"
