/*
 * mover_bytes - the program mover, byte for byte.
 */
#include "workspace/mover_bytes.h"

#include <fcntl.h>
#include <limits.h>

#include "base/io.h"
#include "base/own.h"
#include "fs/self_path.h"

#define MOST (1u << 20)

int mover_bytes(struct buf *out, struct err *e)
{
	static const char *const places[] = {"../guest", "../lib/glovebox/guest"};
	char self[PATH_MAX];
	char found[PATH_MAX];
	auto_free char *path = NULL;

	if (self_directory(self, e))
		return -1;
	if (self_find(self, places, sizeof(places) / sizeof(places[0]), "mover", found))
		return err_input(e, "mover is not beside %s: reinstall glovebox", self);
	path = own_printf("%s/mover", found);
	return io_read_file(AT_FDCWD, path, MOST, out, e);
}
