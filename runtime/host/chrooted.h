/*
 * chrooted - is our root different from our mount namespace's root?
 *
 * The kernel asks the same before it makes a user namespace (current_chrooted() in fs/namespace.c).
 *
 * Runs: monitor, supervisor, glovebox-image. Needs: nothing, but see below.
 */
#ifndef GLOVEBOX_HOST_CHROOTED_H
#define GLOVEBOX_HOST_CHROOTED_H

#include <stdbool.h>

/*
 * Also false if that cannot be told: an ordinary user, in a mount namespace without the host's
 * init.
 */
bool is_chrooted(void);

#endif
