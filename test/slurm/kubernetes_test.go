package slurm_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// job is what a Job of batch/v1 may have, as far as the example uses it.
type job struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		CompletionMode           string `yaml:"completionMode"`
		Completions, Parallelism int
		BackoffLimitPerIndex     int `yaml:"backoffLimitPerIndex"`
		Template                 struct{ Spec pod }
	}
}

type pod struct {
	RestartPolicy string `yaml:"restartPolicy"`
	Containers    []struct {
		Name, Image   string
		Command, Args []string
		Env           []struct{ Name, Value string }
		Resources     struct{ Requests struct{ CPU, Memory string } }
		VolumeMounts  []struct {
			Name      string
			MountPath string `yaml:"mountPath"`
			ReadOnly  bool   `yaml:"readOnly"`
		} `yaml:"volumeMounts"`
	}
	Volumes []struct {
		Name                  string
		PersistentVolumeClaim struct {
			ClaimName string `yaml:"claimName"`
			ReadOnly  bool   `yaml:"readOnly"`
		} `yaml:"persistentVolumeClaim"`
		Secret struct {
			SecretName  string `yaml:"secretName"`
			DefaultMode int    `yaml:"defaultMode"`
		}
	}
}

// TestTheJobsOfKubernetesHaveTheirForm checks names and types of the fields, and what fits together. No cluster has run them.
func TestTheJobsOfKubernetesHaveTheirForm(t *testing.T) {
	file, err := os.Open("../../examples/kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	d := yaml.NewDecoder(file)
	d.KnownFields(true)
	var jobs []job
	for {
		var j job
		if err := d.Decode(&j); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
	if len(jobs) != 2 {
		t.Fatalf("%d jobs, want 2", len(jobs))
	}
	for _, j := range jobs {
		p := j.Spec.Template.Spec
		if j.APIVersion != "batch/v1" || j.Kind != "Job" || j.Metadata.Name == "" || len(p.Containers) != 1 {
			t.Errorf("%+v", j)
		}
		volumes := map[string]bool{}
		for _, v := range p.Volumes {
			if (v.PersistentVolumeClaim.ClaimName == "") == (v.Secret.SecretName == "") {
				t.Errorf("%s: the volume %s is none or two", j.Metadata.Name, v.Name)
			}
			volumes[v.Name] = true
		}
		for _, c := range p.Containers {
			for _, m := range c.VolumeMounts {
				if !volumes[m.Name] || !strings.HasPrefix(m.MountPath, "/") {
					t.Errorf("%s: no volume %s", j.Metadata.Name, m.Name)
				}
				delete(volumes, m.Name)
			}
		}
		if len(volumes) > 0 {
			t.Errorf("%s mounts no %v", j.Metadata.Name, volumes)
		}
	}
	collect := jobs[0].Spec
	if collect.CompletionMode != "Indexed" || collect.Completions != 16 || collect.Template.Spec.RestartPolicy != "Never" ||
		!strings.Contains(collect.Template.Spec.Containers[0].Args[0], `--shard "$JOB_COMPLETION_INDEX/16"`) {
		t.Errorf("%+v", collect)
	}
	if !strings.HasPrefix(jobs[1].Spec.Template.Spec.Containers[0].Args[0], "seq 0 15 ") {
		t.Errorf("%+v", jobs[1].Spec)
	}
}
