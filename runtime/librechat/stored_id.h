/*
 * stored_id - names of files and storage sessions as LibreChat has them: 21 letters, digits, dashes
 * and underscores.
 *
 * A file's is the 122 bits of its id in the store, in other letters. A storage session is the
 * folder of the files of one upload or one execution: it stands before their names in the store,
 * so it needs no table, and outlives the server.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_LIBRECHAT_STORED_ID_H
#define GLOVEBOX_LIBRECHAT_STORED_ID_H

#include "store/file_store.h"

#define STORED_ID_SIZE     22 /* with NUL */
#define STORED_FOLDER_SIZE 23 /* a session, a slash, NUL */

/* The name of a file, and back. false: no name. */
void stored_id_of(const char *id, char out[STORED_ID_SIZE]);
bool stored_id_read(const char *text, char out[FILE_STORE_ID_SIZE]);

/* A new session's folder; and that of a session. false: it has not the form of one. */
void stored_id_new_folder(char out[STORED_FOLDER_SIZE]);
bool stored_id_folder(const char *session, char out[STORED_FOLDER_SIZE]);

/* The session whose folder a file lies in; false: in none. The name there is behind the folder. */
bool stored_id_session(const struct stored_file *file, char out[STORED_ID_SIZE]);
const char *stored_id_name(const struct stored_file *file);

#endif
