/*
 * docker_settings - flags of docker run that change nothing here: taken because things are so
 * anyway, or refused, and why.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_DOCKER_SETTINGS_H
#define GLOVEBOX_SPEC_DOCKER_SETTINGS_H

#include "spec/setting.h"

extern const struct setting docker_settings[]; /* ends with a null name; they fill nothing */

#endif
