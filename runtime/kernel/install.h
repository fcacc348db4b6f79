/*
 * install - write a kernelspec, by which Jupyter's programs find and start the kernel.
 *
 * Touches the OS. Runs: client. Needs: to write where Jupyter looks.
 */
#ifndef GLOVEBOX_KERNEL_INSTALL_H
#define GLOVEBOX_KERNEL_INSTALL_H

#include "base/err.h"
#include "base/list.h"
#include "flags/kernel_settings.h"

#define INSTALL_NAME "glovebox" /* of a kernelspec without a --name */

/*
 * install_write - write it, and print where.
 *
 * @o      user, prefix and display_name say where, and how it is called.
 * @name   of the kernelspec.
 * @words  flags of the kernel, as they were typed.
 * Errors: ERR_INPUT: the name; ERR_SYSTEM.
 */
int install_write(const struct kernel_options *o, const char *name, const struct list *words,
		  struct err *e);

/* install_words - the flags of the kernel among those of `kernel install`, which were valid. */
void install_words(int argc, char **argv, struct list *out);

#endif
