/*
 * python_version - find the version of a root's Python.
 */
#ifndef GLOVEBOX_ROOTFS_DEBIAN_PYTHON_VERSION_H
#define GLOVEBOX_ROOTFS_DEBIAN_PYTHON_VERSION_H

#define PYTHON_VERSION_SIZE 8

/*
 * python_version - "3.13", from the target of usr/bin/python3, without running it. 0, or -1: the
 * root has none, or its name has no version.
 */
int python_version(int root_fd, char out[PYTHON_VERSION_SIZE]);

#endif
