/*
 * files - single files below one directory, for the faces of a session: list, read, write, remove,
 * and all of them as a tar.
 *
 *   mover list DIR PATH DEPTH MOST   entries below DIR/PATH, level by level; at 0 itself
 *   mover read DIR PATH MOST         the content of a file, of that many bytes at most
 *   mover write DIR PATH MODE        make or replace a file, when its content is complete
 *   mover remove DIR PATH            remove one thing, with what is in it
 *   mover make DIR PATH              make a directory, and those on its way
 *   mover rename DIR PATH TO         give one thing another name, also below DIR
 *   mover archive DIR PATH MOST ENTRIES  a tar of what is below, links last
 *   mover usage DIR PATH MOST        how much the files below take, of that many names at most
 *   mover watch DIR PATH DEEP        what changes in a directory; 1: also below it
 *
 * PATH is clean (workspace/files_path.h), relative to DIR, and followed through no link and, unless
 * DIR is "/", no mount: a file has one name. Bounds are errors, or cut a listing. All answer with
 * base/files_said.h.
 *
 * Touches the OS. Runs: mover. Needs: the sandbox's rights over its files.
 */
#ifndef GLOVEBOX_MOVER_FILES_H
#define GLOVEBOX_MOVER_FILES_H

/* It returns if the words are none of those. @words: changed. */
void files_run(long count, char **words);

/* They leave their answer in `said`. @words: what follows the verb. */

void list_run(char **words);
void read_run(char **words);
void write_run(char **words);
void remove_run(char **words);
void archive_run(char **words);
void make_run(char **words);
void rename_run(char **words);
void usage_run(char **words);
void watch_run(char **words);

/* An unsigned number; what is none is 0. */
unsigned long long files_number(const char *digits, unsigned base);

#endif
