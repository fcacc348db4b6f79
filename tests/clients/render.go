// render - a template of a Nomad job, with the functions that ours use, and answers to them as JSON:
//
//	render '{"env": {"NAME": "VALUE"}, "services": [{"Address": "", "Port": 1, "Tags": [""]}]}' <TEMPLATE
package main

import (
	"encoding/json"
	"io"
	"log"
	"os"
	"slices"
	"text/template"
)

type service struct {
	Address string
	Port    int
	Tags    []string
}

type world struct {
	Env      map[string]string
	Services []service
}

func main() {
	var known world
	text, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = json.Unmarshal([]byte(os.Args[1]), &known)
	}
	if err != nil {
		log.Fatal(err)
	}
	functions := template.FuncMap{
		"env": func(name string) string { return known.Env[name] },
		"in":  func(list []string, one string) bool { return slices.Contains(list, one) },
		"nomadService": func(name string) []service {
			if name != "glovebox" {
				log.Fatal("no service ", name)
			}
			return known.Services
		},
	}
	parsed, err := template.New("").Funcs(functions).Parse(string(text))
	if err == nil {
		err = parsed.Execute(os.Stdout, nil)
	}
	if err != nil {
		log.Fatal(err)
	}
}
