/*
 * certificates - the file of certificates that an https server is judged by.
 */
#ifndef GLOVEBOX_AGENT_CERTIFICATES_H
#define GLOVEBOX_AGENT_CERTIFICATES_H

/*
 * certificates_find - the file of this machine's distribution; NULL: there is none.
 *
 * libcurl of a distribution knows where it is. The one file's does not (tools/build-curl): it runs
 * on any distribution.
 *
 * Runs: the agent.  Needs: nothing.
 */
const char *certificates_find(void);

#endif
