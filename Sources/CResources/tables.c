#include "resource.h"

static const unsigned char scoring[] = {
#embed "../Rules/Scoring/scoring.toml"
};
RESOURCE(scoring)

static const unsigned char energy[] = {
#embed "../Signals/Energy/energy.toml"
};
RESOURCE(energy)

static const unsigned char radios[] = {
#embed "../Signals/Radio/profiles.toml"
};
RESOURCE(radios)
