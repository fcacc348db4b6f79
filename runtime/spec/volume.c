/*
 * volume - volumes by name: which names there are, and where a volume is.
 */
#include "spec/volume.h"

#include <limits.h>
#include <string.h>

#include "base/own.h"
#include "fs/state_dir.h"

#define ALPHANUMERIC "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

int volume_check_name(const char *name, struct err *e)
{
	if (strlen(name) == 1)
		return err_input(e,
				 "volume name is too short, names should be at least two "
				 "alphanumeric characters");
	if (!*name || !strchr(ALPHANUMERIC, *name) || name[strspn(name, ALPHANUMERIC "_.-")])
		return err_input(e,
				 "\"%.80s\" includes invalid characters for a local volume name, "
				 "only \"[a-zA-Z0-9][a-zA-Z0-9_.-]\" are allowed. If you intended "
				 "to pass a host directory, use absolute path, or ./%.80s",
				 name, name);
	if (strlen(name) > NAME_MAX)
		return err_input(e, "%.80s...: a volume name is longer than %d bytes", name,
				 NAME_MAX);
	return 0;
}

char *volume_source(const char *name, struct err *e)
{
	auto_free char *state = volume_check_name(name, e) ? NULL : state_dir(true, e);

	return state ? own_printf("%s/" VOLUME_FOLDER "/%s/" VOLUME_DATA, state, name) : NULL;
}

int volume_refuse_anonymous(const char *target, struct err *e)
{
	return err_set(
		e, ERR_UNSUPPORTED,
		"%.150s: anonymous volumes are not supported; use --tmpfs %.150s, or name it: "
		"-v NAME:%.150s",
		target, target, target);
}
