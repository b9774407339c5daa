{{- define "signalbox.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "signalbox.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "signalbox.labels" -}}
{{ include "signalbox.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "signalbox.metadata" -}}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "signalbox.labels" . | nindent 2 }}
{{- with .Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "signalbox.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "signalbox.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "signalbox.databaseSecret" -}}
{{- if .Values.secret.create -}}
{{- default (printf "%s-postgresql" (include "signalbox.fullname" .)) .Values.secret.name -}}
{{- else -}}
{{- required "Name the secret that has the key connection-string in secret.name, or set secret.create." .Values.secret.name -}}
{{- end -}}
{{- end -}}

{{- define "signalbox.encryptionSecret" -}}
{{- default (printf "%s-encryption-key" (include "signalbox.fullname" .)) .Values.encryptionKey.existingSecret -}}
{{- end -}}

{{- define "signalbox.authSecret" -}}
{{- default (printf "%s-auth" (include "signalbox.fullname" .)) .Values.server.basicAuth.existingSecret -}}
{{- end -}}

{{- define "signalbox.basePath" -}}
{{- if .Values.server.basePath -}}
{{- .Values.server.basePath -}}
{{- else if and .Values.ingress.enabled (regexMatch "^(/[A-Za-z0-9._~-]+)+/?$" .Values.ingress.host.path) -}}
{{- trimSuffix "/" .Values.ingress.host.path -}}
{{- end -}}
{{- end -}}

{{- define "signalbox.publicUrl" -}}
{{- if .Values.server.publicUrl -}}
{{- .Values.server.publicUrl -}}
{{- else if .Values.ingress.enabled -}}
{{- printf "%s://%s" (ternary "https" "http" .Values.ingress.tls) .Values.ingress.host.hostname -}}
{{- end -}}
{{- end -}}
