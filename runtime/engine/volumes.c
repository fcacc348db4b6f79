/*
 * volumes - stub
 */
#include "engine/volumes.h"
void volumes_list(struct request *r)
{
	request_refuse(r, 501, "not here yet");
}
void volumes_create(struct request *r)
{
	request_refuse(r, 501, "not here yet");
}
void volumes_inspect(struct request *r)
{
	request_refuse(r, 501, "not here yet");
}
void volumes_remove(struct request *r)
{
	request_refuse(r, 501, "not here yet");
}
void volumes_prune(struct request *r)
{
	request_refuse(r, 501, "not here yet");
}
void volumes_usage(struct request *r)
{
	request_refuse(r, 501, "not here yet");
}
