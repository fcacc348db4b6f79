/*
 * layer - what a sandbox has changed in its root: as a list, or as a tar.
 *
 * Descriptor 0 is the directory of the root's layers (inside/overlay.h). What the upper layer has
 * is compared with what the image has at the same path, name by name and without following a link.
 * A directory that is there for what is in it alone, or is a copy of the image's (own_dirs), is no
 * change of its own.
 *
 * Touches the OS. Runs: mover changes and mover layer, in the sandbox; mover layer also as a child
 * of the monitor, after the sandbox has ended. Needs: the right to read the layers.
 */
#ifndef GLOVEBOX_MOVER_LAYER_H
#define GLOVEBOX_MOVER_LAYER_H

/*
 * layer_list - write a text for each path, and a NUL behind it: "A PATH" if the image does not have
 * it, "C PATH" if it has, "D PATH" if it is gone.
 */
void layer_list(void);

/*
 * layer_write - write a tar of what has been changed, for put_lay().
 *
 * A character device 0/0 says that what has this name in the image is gone, as in the layer
 * itself; a directory behind it hides the image's. No name has a meaning: ".wh.x" is a file.
 */
void layer_write(void);

#endif
