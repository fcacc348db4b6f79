/*
 * certificates - find the CA certificates for https servers.
 */
#ifndef GLOVEBOX_AGENT_CERTIFICATES_H
#define GLOVEBOX_AGENT_CERTIFICATES_H

/*
 * certificates_find - return the bundle of this machine's distribution; NULL: none.
 *
 * A distribution's libcurl knows the path. The one file's does not (tools/build-curl), since it
 * runs on any distribution.
 *
 * Runs: the agent.  Needs: nothing.
 */
const char *certificates_find(void);

#endif
