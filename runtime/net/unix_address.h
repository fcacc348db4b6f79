/*
 * unix_address - the address of a socket in a directory that is open.
 *
 * sun_path has 108 bytes (unix(7)), which a path may not: the directory is named by its descriptor.
 * No side effects.
 */
#ifndef GLOVEBOX_NET_UNIX_ADDRESS_H
#define GLOVEBOX_NET_UNIX_ADDRESS_H

#include <sys/socket.h>
#include <sys/un.h>

/*
 * unix_address_in - write the address.
 * @dir  outlives the use of it. Returns -1 if the name is too long.
 */
int unix_address_in(int dir, const char *name, struct sockaddr_un *out);

#endif
