/*
 * preload - check a list of modules that a warm Python imports in advance: "numpy,pandas".
 */
#include "spec/preload.h"

#include <string.h>

int preload_check(const char *value, struct err *e)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_.,";

	if (value && value[strspn(value, allowed)])
		return err_input(e, "--preload: \"%.100s\" is not a list of modules: numpy,pandas",
				 value);
	return 0;
}
