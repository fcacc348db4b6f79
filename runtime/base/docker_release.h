/*
 * docker_release - the release of Docker whose words, statuses and answers ours are.
 */
#ifndef GLOVEBOX_BASE_DOCKER_RELEASE_H
#define GLOVEBOX_BASE_DOCKER_RELEASE_H

/* Scripts and clients compare it. */
#define DOCKER_VERSION "28.2.2"

#if defined(__x86_64__)
#define DOCKER_ARCH "amd64"
#else
#define DOCKER_ARCH "arm64"
#endif

#endif
