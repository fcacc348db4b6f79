/*
 * python_version - which Python a root has.
 */
#ifndef GLOVEBOX_ROOTFS_PYTHON_VERSION_H
#define GLOVEBOX_ROOTFS_PYTHON_VERSION_H

#define PYTHON_VERSION_SIZE 8

/*
 * python_version - "3.13", from the target of usr/bin/python3; nothing of the root is run.
 * 0, or -1: there is none, or its name has no version.
 */
int python_version(int root_fd, char out[PYTHON_VERSION_SIZE]);

#endif
