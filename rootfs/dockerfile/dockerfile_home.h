/*
 * dockerfile_home - warn of image files in a directory that is an empty HOME in a run.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_HOME_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_HOME_H

#include "rootfs/archive/meta.h"

/*
 * dockerfile_home_warn - print on stderr that a run, unlike docker's, will not see files in the
 * home of the image's user. Ignores names that begin with a dot, which useradd makes.
 * @root_fd  of the finished tree; borrowed
 */
void dockerfile_home_warn(const struct meta *meta, int root_fd);

#endif
