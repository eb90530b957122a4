{{- define "agent-platform.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{- define "agent-platform.config" -}}
{{- range $name, $value := .Values.config -}}
{{ $name }}: {{ $value | quote }}
{{ end -}}
METRICS_PORT: "9464"
{{- end }}

{{- define "agent-platform.annotations" -}}
# Other settings are another pod.
annotations: { agent-platform/config: {{ include "agent-platform.config" . | sha256sum | quote }} }
{{- end }}

{{- define "agent-platform.pod" -}}
serviceAccountName: agent-platform
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range $name := . }}
  - name: {{ $name }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  seccompProfile: { type: RuntimeDefault }
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 64Mi }
{{- end }}

{{- define "agent-platform.container" -}}
image: {{ include "agent-platform.image" . | quote }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "agent-platform.settings" -}}
envFrom:
  - configMapRef: { name: agent-platform }
  - secretRef: { name: {{ .Values.secrets.app }} }
{{- end }}

{{- define "agent-platform.database" -}}
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ .Values.secrets.database.name }}, key: {{ .Values.secrets.database.key }} } }
{{- end }}

{{- define "agent-platform.probes" -}}
# Metrics are served once the database has the schema of this release, and go on while it is away: that restarts no pod.
startupProbe:
  httpGet: { path: /metrics, port: metrics }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 300
livenessProbe:
  httpGet: { path: /metrics, port: metrics }
  periodSeconds: 15
  timeoutSeconds: 10
  failureThreshold: 4
readinessProbe:
  httpGet: { path: /metrics, port: metrics }
  periodSeconds: 15
  timeoutSeconds: 5
  failureThreshold: 2
{{- end }}

{{- define "agent-platform.migration" -}}
metadata:
  labels: { app.kubernetes.io/name: migrate }
  {{- include "agent-platform.annotations" . | nindent 2 }}
spec:
  restartPolicy: OnFailure
  {{- include "agent-platform.pod" . | nindent 2 }}
  containers:
    - name: migrate
      args: [apps/admin/src/main.ts, migrate]
      {{- include "agent-platform.container" . | nindent 6 }}
      envFrom:
        - configMapRef: { name: agent-platform }
      env:
        {{- include "agent-platform.database" . | nindent 8 }}
        - name: DATABASE_OWNER_URL
          valueFrom: { secretKeyRef: { name: {{ .Values.secrets.owner.name }}, key: {{ .Values.secrets.owner.key }} } }
        {{- range $name, $value := .Values.migrate.env }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
      resources:
        {{- toYaml .Values.migrate.resources | nindent 8 }}
{{- end }}
