#include "resource.h"

static const unsigned char recorder[] = {
#embed "../Recording/Kernel/recorder.bpf.o"
};
RESOURCE(recorder)

static const unsigned char sockets[] = {
#embed "../Recording/Kernel/sockets.bpf.o"
};
RESOURCE(sockets)

static const unsigned char transfers[] = {
#embed "../Recording/Transfers/transfers.bpf.o"
};
RESOURCE(transfers)
