/*
 * dockerfile_home - does an image have files where a run has an empty HOME?
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_HOME_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_HOME_H

#include "meta.h"

/*
 * dockerfile_home_warn - say on stderr that a run will not see files of the home of the image's
 * user, as docker's does. Files whose name begins with a dot, which useradd makes, are not meant.
 * @root_fd  of the finished tree; borrowed
 */
void dockerfile_home_warn(const struct meta *meta, int root_fd);

#endif
