// engine - what a program does with Docker's client for Go: IMAGE is all that it needs; any failure ends it.
package main

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"log"
	"os"
	"strconv"
	"time"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"
	"github.com/docker/docker/errdefs"
	"github.com/docker/docker/pkg/stdcopy"
)

var everything = context.Background()

func must(err error) {
	if err != nil {
		log.Output(2, err.Error())
		os.Exit(1)
	}
}

func same(found, wanted any) {
	if found != wanted {
		log.Output(2, "found "+quote(found)+", wanted "+quote(wanted))
		os.Exit(1)
	}
}

func quote(value any) string {
	if text, ok := value.(string); ok {
		return strconv.Quote(text)
	}
	var out bytes.Buffer
	log.New(&out, "", 0).Print(value)
	return out.String()
}

func split(from io.Reader) (string, string) {
	var out, err bytes.Buffer
	_, failure := stdcopy.StdCopy(&out, &err, from)
	must(failure)
	return out.String(), err.String()
}

// converse types, ends what is typed, and reads all that comes: a line on standard error, too.
func converse(stream types.HijackedResponse, typed, wanted string) {
	_, err := stream.Conn.Write([]byte(typed))
	must(err)
	must(stream.CloseWrite())
	out, errors := split(stream.Reader)
	same(out, wanted)
	same(errors, "err\n")
}

// attach comes before the start, and what is typed reaches the program.
func attach(c *client.Client, image string) string {
	made, err := c.ContainerCreate(everything, &container.Config{
		Image: image, Cmd: []string{"sh", "-c", "read x; echo got $x; echo err >&2; exit 3"},
		OpenStdin: true, StdinOnce: true, AttachStdin: true, AttachStdout: true, AttachStderr: true,
		Labels: map[string]string{"by": "go"},
	}, nil, nil, nil, "")
	must(err)
	stream, err := c.ContainerAttach(everything, made.ID, container.AttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
	must(err)
	defer stream.Close()
	ends, failures := c.ContainerWait(everything, made.ID, container.WaitConditionNextExit)
	must(c.ContainerStart(everything, made.ID, container.StartOptions{}))
	converse(stream, "word\n", "got word\n")
	select {
	case end := <-ends:
		same(end.StatusCode, int64(3))
	case err := <-failures:
		must(err)
	}
	logs, err := c.ContainerLogs(everything, made.ID, container.LogsOptions{ShowStdout: true, ShowStderr: true, Tail: "all"})
	must(err)
	out, errors := split(logs)
	same(out+errors, "got word\nerr\n")
	return made.ID
}

func exec(c *client.Client, id string) {
	made, err := c.ContainerExecCreate(everything, id, container.ExecOptions{
		Cmd: []string{"sh", "-c", "cat; echo err >&2; exit 7"}, AttachStdin: true, AttachStdout: true, AttachStderr: true})
	must(err)
	stream, err := c.ContainerExecAttach(everything, made.ID, container.ExecAttachOptions{})
	must(err)
	defer stream.Close()
	converse(stream, "typed", "typed")
	end, err := c.ContainerExecInspect(everything, made.ID)
	must(err)
	same(end.Running, false)
	same(end.ExitCode, 7)
}

func archive(c *client.Client, id string) {
	var out bytes.Buffer
	packed := tar.NewWriter(&out)
	must(packed.WriteHeader(&tar.Header{Name: "file.txt", Mode: 0o644, Size: 3}))
	_, err := packed.Write([]byte("abc"))
	must(err)
	must(packed.Close())
	must(c.CopyToContainer(everything, id, "/tmp", &out, container.CopyToContainerOptions{}))
	stat, err := c.ContainerStatPath(everything, id, "/tmp/file.txt")
	must(err)
	same(stat.Size, int64(3))
	back, _, err := c.CopyFromContainer(everything, id, "/tmp/file.txt")
	must(err)
	defer back.Close()
	unpacked := tar.NewReader(back)
	_, err = unpacked.Next()
	must(err)
	data, err := io.ReadAll(unpacked)
	must(err)
	same(string(data), "abc")
	_, err = c.ContainerStatPath(everything, id, "/nowhere")
	same(errdefs.IsNotFound(err), true)
}

func seen(c *client.Client, id string, since time.Time) {
	only := filters.NewArgs(filters.Arg("container", id))
	moment := strconv.FormatInt(since.Unix()-1, 10)
	until := strconv.FormatInt(time.Now().Unix()+1, 10)
	messages, failures := c.Events(everything, events.ListOptions{Since: moment, Until: until, Filters: only})
	all := ""
	for {
		select {
		case message := <-messages:
			all += string(message.Action) + " "
		case err := <-failures:
			same(err, io.EOF)
			same(bytes.Contains([]byte(all), []byte("start ")), true)
			same(bytes.Contains([]byte(all), []byte("die ")), true)
			return
		}
	}
}

func main() {
	log.SetFlags(log.Lshortfile)
	begun := time.Now()
	c, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	must(err)
	var ping types.Ping
	ping, err = c.Ping(everything)
	must(err)
	same(ping.OSType, "linux")
	image := os.Args[1]
	ended := attach(c, image)
	seen(c, ended, begun)

	made, err := c.ContainerCreate(everything, &container.Config{Image: image, Cmd: []string{"sleep", "1000"}}, nil, nil, nil, "")
	must(err)
	must(c.ContainerStart(everything, made.ID, container.StartOptions{}))
	exec(c, made.ID)
	archive(c, made.ID)
	list, err := c.ContainerList(everything, container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("label", "by=go"))})
	must(err)
	same(len(list), 1)
	same(list[0].ID, ended)
	same(errdefs.IsConflict(c.ContainerRemove(everything, made.ID, container.RemoveOptions{})), true)
	must(c.ContainerKill(everything, made.ID, "KILL"))
	must(c.ContainerRemove(everything, made.ID, container.RemoveOptions{Force: true}))
	_, err = c.ContainerInspect(everything, made.ID)
	same(errdefs.IsNotFound(err), true)
}
