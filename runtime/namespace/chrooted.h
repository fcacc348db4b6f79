/*
 * chrooted - tell whether our root differs from our mount namespace's root.
 *
 * The kernel checks the same before it makes a user namespace (current_chrooted() in
 * fs/namespace.c).
 *
 * Runs: monitor, supervisor, glovebox-image. Needs: nothing, but privilege helps.
 */
#ifndef GLOVEBOX_NAMESPACE_CHROOTED_H
#define GLOVEBOX_NAMESPACE_CHROOTED_H

#include <stdbool.h>

/*
 * Also false if we cannot tell: as an ordinary user, in a mount namespace without the host's init.
 */
bool is_chrooted(void);

#endif
