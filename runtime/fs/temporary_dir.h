/*
 * temporary_dir - a directory with a random name, and those that killed processes have left.
 *
 * The owner of a directory holds a lock (flock) of it as long as it lives, however it ends. The
 * next process that makes one of the same kind looks for those without a lock.
 *
 * Touches the OS. Runs: clients, glovebox-image. Needs: the right to write to the directory around.
 */
#ifndef GLOVEBOX_FS_TEMPORARY_DIR_H
#define GLOVEBOX_FS_TEMPORARY_DIR_H

/*
 * temporary_dir_make - make a directory, 0700, and lock it.
 *
 * @path  ends in XXXXXX, which becomes random.
 * Returns the lock, a descriptor that the owner keeps open: a copy in another process holds it,
 * too. -1 with errno.
 */
int temporary_dir_make(char *path);

/*
 * temporary_dir_find_left - call `each` for directories of our user that nobody holds a lock of.
 *
 * Those of the last hour are left out: a directory is made before it is locked.
 *
 * @like  a path as above
 * @each  removes what is at @path; @fd is open there, and locked meanwhile; borrowed.
 */
void temporary_dir_find_left(const char *like,
			     void (*each)(const char *path, int fd, void *context), void *context);

#endif
