// The library is preloaded, not linked with: it has nothing to include.
