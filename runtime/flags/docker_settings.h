/*
 * docker_settings - flags of docker run that change nothing here: accepted where a sandbox behaves
 * so anyway, otherwise refused with the reason.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_FLAGS_DOCKER_SETTINGS_H
#define GLOVEBOX_FLAGS_DOCKER_SETTINGS_H

#include "spec/setting.h"

extern const struct setting docker_settings[]; /* ends with a null name; its rows set no field */

#endif
