-- The schema of release 0.1.0. Written by scripts/freeze-schema.ts, and never changed.
create table migration (name text primary key, applied text not null, readable_from text);
-- migration 0001-identity
create table organization (
    id TEXT UUID primary key,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    name TEXT not null,
    slug TEXT not null unique
  );
create table workspace (
    key INTEGER primary key,
    id TEXT UUID not null unique,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    name TEXT not null,
    organization_id TEXT UUID not null,
    handle TEXT not null,
    description TEXT not null,
    default_role TEXT,
    unique (organization_id, handle),
    foreign key (organization_id) references organization (id) on delete cascade
  );
create table configuration (
    workspace INTEGER not null,
    key TEXT not null,
    value TEXT JSON not null,
    primary key (workspace, key),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create table removed_workspace (
    key INTEGER primary key,
    removed TEXT TIMESTAMP not null,
    emptied TEXT TIMESTAMP
  );
insert into organization (id, created, updated, name, slug) values ('ffffffff-ffff-ffff-ffff-ffffffffffff',
    cast('1970-01-01T00:00:00.000000Z' as TEXT TIMESTAMP), cast('1970-01-01T00:00:00.000000Z' as TEXT TIMESTAMP),
    'Removed workspaces', '-');
create table user_account (
    id TEXT UUID primary key,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    email TEXT not null unique,
    name TEXT,
    password_hash TEXT,
    state TEXT not null,
    proven_at TEXT TIMESTAMP
  );
create table membership (
    organization_id TEXT UUID not null,
    user_id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    role TEXT not null,
    primary key (organization_id, user_id),
    foreign key (organization_id) references organization (id) on delete cascade,
    foreign key (user_id) references user_account (id) on delete cascade
  );
create index ix_membership_user on membership (user_id);
create table service_account (
    id TEXT UUID primary key,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    organization_id TEXT UUID not null,
    name TEXT not null,
    description TEXT not null,
    role TEXT not null,
    state TEXT not null,
    foreign key (organization_id) references organization (id) on delete cascade
  );
create unique index ix_service_account_name on service_account (organization_id, name) where state <> 'deleted';
create table api_key (
    id TEXT UUID primary key,
    created TEXT TIMESTAMP not null,
    hash TEXT not null unique,
    descriptor TEXT not null,
    owner_type TEXT not null,
    owner_id TEXT UUID not null,
    revoked_at TEXT TIMESTAMP,
    last_used_at TEXT TIMESTAMP
  );
create index ix_api_key_owner on api_key (owner_id, created);
create table resource_grant (
    resource_type TEXT not null,
    resource_id TEXT UUID not null,
    actor_type TEXT not null,
    actor_id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    role TEXT not null,
    primary key (resource_id, actor_id)
  );
create index ix_resource_grant_actor on resource_grant (actor_id);
create table invitation (
    id TEXT UUID primary key,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    organization_id TEXT UUID not null,
    email TEXT not null,
    role TEXT not null,
    token_hash TEXT not null unique,
    state TEXT not null,
    expires_at TEXT TIMESTAMP not null,
    invited_by TEXT UUID,
    foreign key (organization_id) references organization (id) on delete cascade
  );
create index ix_invitation_organization on invitation (organization_id, created);
create table session (
    id TEXT primary key,
    created TEXT TIMESTAMP not null,
    user_id TEXT UUID not null,
    csrf_token TEXT not null,
    expires_at TEXT TIMESTAMP not null,
    last_seen_at TEXT TIMESTAMP not null,
    foreign key (user_id) references user_account (id) on delete cascade
  );
create index ix_session_user on session (user_id);
create table device_authorization (
    id TEXT UUID primary key,
    created TEXT TIMESTAMP not null,
    device_code_hash TEXT not null unique,
    user_code TEXT not null unique,
    device_name TEXT,
    state TEXT not null,
    user_id TEXT UUID,
    expires_at TEXT TIMESTAMP not null,
    last_polled_at TEXT TIMESTAMP,
    client_id TEXT,
    platform TEXT,
    address TEXT
  );
create table audit_entry (
    id TEXT UUID primary key,
    organization_id TEXT UUID,
    occurred TEXT TIMESTAMP not null,
    actor_type TEXT not null,
    actor_id TEXT UUID,
    actor_name TEXT not null,
    action TEXT not null,
    target_type TEXT not null,
    target_id TEXT,
    target_name TEXT,
    address TEXT,
    details TEXT JSON not null
  );
create index ix_audit_entry_organization on audit_entry (organization_id, id);
create table set_up_link (
    token_hash TEXT primary key,
    created TEXT TIMESTAMP not null,
    expires_at TEXT TIMESTAMP not null
  );
create table user_identity (
    issuer TEXT not null,
    subject TEXT not null,
    user_id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    primary key (issuer, subject),
    foreign key (user_id) references user_account (id) on delete cascade
  );
create index ix_user_identity_user on user_identity (user_id);
create table attempt (
    key TEXT primary key,
    full_until INTEGER not null
  );
create index ix_attempt_full_until on attempt (full_until);
create table known_device (
    token_hash TEXT not null,
    user_id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    expires_at TEXT TIMESTAMP not null,
    primary key (token_hash, user_id),
    foreign key (user_id) references user_account (id) on delete cascade
  );
create index ix_known_device_user on known_device (user_id);
create index ix_known_device_expires on known_device (expires_at);
create table write_probe (writes INTEGER not null);
insert into write_probe values (0);
create trigger workspace_removed after delete on workspace begin
        insert into removed_workspace (key, removed) values (old.key, strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'));
      end;
create table access_version (id INTEGER primary key, version INTEGER not null);
insert into access_version values (1, 1);
create trigger api_key_access_changed after update of revoked_at on api_key
        when old.revoked_at is not new.revoked_at begin update access_version set version = version + 1; end;
create trigger api_key_access_ended after delete on api_key begin update access_version set version = version + 1; end;
create trigger user_account_access_changed after update of state on user_account
        when old.state is not new.state begin update access_version set version = version + 1; end;
create trigger user_account_access_ended after delete on user_account begin update access_version set version = version + 1; end;
create trigger service_account_access_changed after update of state, role on service_account
        when old.state is not new.state or old.role is not new.role begin update access_version set version = version + 1; end;
create trigger service_account_access_ended after delete on service_account begin update access_version set version = version + 1; end;
create trigger membership_access_changed after update of role on membership
        when old.role is not new.role begin update access_version set version = version + 1; end;
create trigger membership_access_ended after delete on membership begin update access_version set version = version + 1; end;
create trigger resource_grant_access_changed after update of role on resource_grant
        when old.role is not new.role begin update access_version set version = version + 1; end;
create trigger resource_grant_access_ended after delete on resource_grant begin update access_version set version = version + 1; end;
create trigger resource_grant_access_given after insert on resource_grant begin update access_version set version = version + 1; end;
create trigger organization_access_changed after update of slug on organization
        when old.slug is not new.slug begin update access_version set version = version + 1; end;
create trigger organization_access_ended after delete on organization begin update access_version set version = version + 1; end;
create trigger workspace_access_changed after update of default_role, handle, organization_id on workspace
        when old.default_role is not new.default_role or old.handle is not new.handle or old.organization_id is not new.organization_id begin update access_version set version = version + 1; end;
create trigger workspace_access_ended after delete on workspace begin update access_version set version = version + 1; end;
insert into migration values ('0001-identity', '2026-01-01T00:00:00.000Z', null);
-- migration 0002-orchestration
create table flow (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    name TEXT not null,
    tags TEXT JSON not null,
    labels TEXT JSON,
    removed TEXT TIMESTAMP,
    primary key (workspace, id),
    unique (workspace, name),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create index ix_flow_removed on flow (workspace, removed) where removed is not null;
create index ix_flow_created on flow (workspace, created);
create index ix_flow_updated on flow (workspace, updated);
create table flow_run (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    name TEXT not null,
    flow_id TEXT UUID not null,
    state_id TEXT UUID,
    deployment_id TEXT UUID,
    deployment_version TEXT,
    work_queue_id TEXT UUID,
    work_queue_name TEXT,
    flow_version TEXT,
    parameters TEXT JSON not null,
    idempotency_key TEXT,
    context TEXT JSON not null,
    empirical_policy TEXT JSON not null,
    tags TEXT JSON not null,
    labels TEXT JSON not null,
    parent_task_run_id TEXT UUID,
    state_type TEXT,
    state_name TEXT,
    state_timestamp TEXT TIMESTAMP,
    run_count INTEGER not null,
    expected_start_time TEXT TIMESTAMP,
    next_scheduled_start_time TEXT TIMESTAMP,
    start_time TEXT TIMESTAMP,
    end_time TEXT TIMESTAMP,
    total_run_time REAL not null,
    auto_scheduled INTEGER BOOLEAN not null,
    infrastructure_document_id TEXT UUID,
    infrastructure_pid TEXT,
    created_by TEXT JSON,
    job_variables TEXT JSON,
    primary key (workspace, id),
    foreign key (workspace, flow_id) references flow (workspace, id) on delete cascade
  );
create unique index ix_flow_run_idempotency on flow_run (workspace, flow_id, idempotency_key) where idempotency_key is not null;
create index ix_flow_run_next on flow_run (workspace, next_scheduled_start_time) where next_scheduled_start_time is not null;
create index ix_flow_run_end on flow_run (workspace, end_time , id);
create index ix_flow_run_name on flow_run (workspace, name, id);
create index ix_flow_run_run_time on flow_run (workspace, total_run_time, id);
create index ix_flow_run_deployment on flow_run (workspace, deployment_id, expected_start_time) where deployment_id is not null;
create index ix_flow_run_queue on flow_run (workspace, work_queue_id, next_scheduled_start_time) where work_queue_id is not null;
create index ix_flow_run_parent on flow_run (workspace, parent_task_run_id) where parent_task_run_id is not null;
create index ix_flow_run_not_late on flow_run (workspace, next_scheduled_start_time)
    where state_type = 'SCHEDULED' and state_name = 'Scheduled';
create index ix_flow_run_cancelling on flow_run (workspace, state_timestamp) where state_type = 'CANCELLING';
create index ix_flow_run_infrastructure_document on flow_run (workspace, infrastructure_document_id)
    where infrastructure_document_id is not null;
create table flow_run_tag (
    workspace INTEGER not null,
    tag TEXT not null,
    flow_run_id TEXT UUID not null,
    primary key (workspace, flow_run_id, tag),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  );
create index ix_flow_run_tag_tag on flow_run_tag (workspace, tag, flow_run_id);
create table flow_run_state (
    workspace INTEGER not null,
    id TEXT UUID not null,
    flow_run_id TEXT UUID not null,
    type TEXT not null,
    name TEXT not null,
    timestamp TEXT TIMESTAMP not null,
    message TEXT,
    data TEXT JSON,
    state_details TEXT JSON not null,
    primary key (workspace, id),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  );
create unique index ix_flow_run_state_history on flow_run_state (workspace, flow_run_id, timestamp);
create index ix_flow_run_state_observed on flow_run_state (workspace, type, name, timestamp);
create table flow_run_input (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    flow_run_id TEXT UUID not null,
    key TEXT not null,
    value TEXT not null,
    sender TEXT,
    primary key (workspace, id),
    unique (workspace, flow_run_id, key),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  );
create table task_run (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    name TEXT not null,
    flow_run_id TEXT UUID,
    task_key TEXT not null,
    dynamic_key TEXT not null,
    cache_key TEXT,
    cache_expiration TEXT TIMESTAMP,
    task_version TEXT,
    empirical_policy TEXT JSON not null,
    tags TEXT JSON not null,
    labels TEXT JSON,
    task_inputs TEXT JSON not null,
    state_id TEXT UUID,
    state_type TEXT,
    state_name TEXT,
    state_timestamp TEXT TIMESTAMP,
    run_count INTEGER not null,
    flow_run_run_count INTEGER not null,
    expected_start_time TEXT TIMESTAMP,
    next_scheduled_start_time TEXT TIMESTAMP,
    start_time TEXT TIMESTAMP,
    end_time TEXT TIMESTAMP,
    total_run_time REAL not null,
    primary key (workspace, id),
    foreign key (workspace) references workspace (key) on delete cascade,
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  );
create unique index ix_task_run_natural on task_run (workspace, flow_run_id, task_key, dynamic_key) where flow_run_id is not null;
create unique index ix_task_run_natural_background on task_run (workspace, task_key, dynamic_key) where flow_run_id is null;
create index ix_task_run_next on task_run (workspace, next_scheduled_start_time) where next_scheduled_start_time is not null;
create index ix_task_run_end on task_run (workspace, end_time );
create index ix_task_run_start on task_run (workspace, start_time);
create index ix_task_run_name on task_run (workspace, name);
create table task_run_tag (
    workspace INTEGER not null,
    tag TEXT not null,
    task_run_id TEXT UUID not null,
    primary key (workspace, task_run_id, tag),
    foreign key (workspace, task_run_id) references task_run (workspace, id) on delete cascade
  );
create index ix_task_run_tag_tag on task_run_tag (workspace, tag, task_run_id);
create table task_run_state (
    workspace INTEGER not null,
    id TEXT UUID not null,
    task_run_id TEXT UUID not null,
    type TEXT not null,
    name TEXT not null,
    timestamp TEXT TIMESTAMP not null,
    message TEXT,
    data TEXT JSON,
    state_details TEXT JSON not null,
    primary key (workspace, id),
    foreign key (workspace, task_run_id) references task_run (workspace, id) on delete cascade
  );
create index ix_task_run_state_history on task_run_state (workspace, task_run_id, timestamp);
create index ix_task_run_state_observed on task_run_state (workspace, type, name, timestamp);
create table task_run_state_cache (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    cache_key TEXT not null,
    cache_expiration TEXT TIMESTAMP,
    task_run_state_id TEXT UUID not null,
    primary key (workspace, id)
  );
create index ix_task_run_state_cache_key on task_run_state_cache (workspace, cache_key, created);
create table queued_task_run (
    workspace INTEGER not null,
    task_run_id TEXT UUID not null,
    task_key TEXT not null,
    is_retry INTEGER BOOLEAN not null,
    position TEXT UUID not null,
    claim TEXT UUID,
    claimed_until TEXT TIMESTAMP,
    primary key (workspace, task_run_id),
    foreign key (workspace, task_run_id) references task_run (workspace, id) on delete cascade
  );
create index ix_queued_task_run_turn on queued_task_run (workspace, task_key, is_retry desc, position);
create table task_worker (
    workspace INTEGER not null,
    id TEXT UUID not null,
    identifier TEXT not null,
    task_keys TEXT JSON not null,
    timestamp TEXT TIMESTAMP not null,
    online_until TEXT TIMESTAMP not null,
    primary key (workspace, id),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create table flow_run_pause (
    workspace INTEGER not null,
    flow_run_id TEXT UUID not null,
    expires_at TEXT TIMESTAMP not null,
    primary key (workspace, flow_run_id),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  );
create index ix_flow_run_pause_expires_at on flow_run_pause (workspace, expires_at);
create table flow_run_cancellation (
    workspace INTEGER not null,
    flow_run_id TEXT UUID not null,
    cancelled_at TEXT TIMESTAMP not null,
    due TEXT TIMESTAMP not null,
    primary key (workspace, flow_run_id),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  );
create index ix_flow_run_cancellation_due on flow_run_cancellation (workspace, due);
create table flow_run_heartbeat (
    workspace INTEGER not null,
    flow_run_id TEXT UUID not null,
    last_occurred TEXT TIMESTAMP not null,
    received TEXT TIMESTAMP not null,
    interval_seconds REAL,
    silent_at TEXT TIMESTAMP not null,
    primary key (workspace, flow_run_id),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  );
create index ix_flow_run_heartbeat_silent_at on flow_run_heartbeat (workspace, silent_at);
create table work_pool (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    name TEXT not null,
    description TEXT,
    type TEXT not null,
    base_job_template TEXT JSON not null,
    is_paused INTEGER BOOLEAN not null,
    default_queue_id TEXT UUID,
    concurrency_limit INTEGER,
    storage_configuration TEXT JSON not null,
    status TEXT not null,
    last_status_event_id TEXT UUID,
    primary key (workspace, id),
    unique (workspace, name),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create index ix_work_pool_ready on work_pool (workspace, id) where status = 'READY';
create table work_queue (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    name TEXT not null,
    description TEXT not null,
    is_paused INTEGER BOOLEAN not null,
    concurrency_limit INTEGER,
    priority INTEGER not null,
    last_polled TEXT TIMESTAMP,
    status TEXT not null,
    work_pool_id TEXT UUID not null,
    filter TEXT JSON,
    primary key (workspace, id),
    unique (workspace, work_pool_id, name),
    foreign key (workspace, work_pool_id) references work_pool (workspace, id) on delete cascade
  );
create index ix_work_queue_ready on work_queue (workspace, id) where status = 'READY';
create table worker (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    name TEXT not null,
    work_pool_id TEXT UUID not null,
    last_heartbeat_time TEXT TIMESTAMP not null,
    heartbeat_interval_seconds INTEGER,
    online_until TEXT TIMESTAMP not null,
    primary key (workspace, id),
    unique (workspace, work_pool_id, name),
    foreign key (workspace, work_pool_id) references work_pool (workspace, id) on delete cascade
  );
create index ix_worker_online_until on worker (workspace, work_pool_id, online_until);
create table worker_cleanup (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    work_pool_id TEXT UUID not null,
    work_queue_id TEXT UUID,
    kind TEXT not null,
    target TEXT JSON not null,
    deliveries INTEGER not null,
    reservation_token TEXT,
    lease_expires_at TEXT TIMESTAMP,
    primary key (workspace, id),
    foreign key (workspace, work_pool_id) references work_pool (workspace, id) on delete cascade
  );
create index ix_worker_cleanup_pool on worker_cleanup (workspace, work_pool_id, created);
create table deployment (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    created_by TEXT JSON,
    updated_by TEXT JSON,
    name TEXT not null,
    version TEXT,
    description TEXT,
    flow_id TEXT UUID not null,
    paused INTEGER BOOLEAN not null,
    concurrency_limit_id TEXT UUID,
    concurrency_options TEXT JSON,
    job_variables TEXT JSON not null,
    parameters TEXT JSON not null,
    pull_steps TEXT JSON,
    tags TEXT JSON not null,
    labels TEXT JSON,
    last_polled TEXT TIMESTAMP,
    parameter_openapi_schema TEXT JSON,
    path TEXT,
    entrypoint TEXT,
    storage_document_id TEXT UUID,
    infrastructure_document_id TEXT UUID,
    work_queue_id TEXT UUID,
    work_queue_name TEXT,
    status TEXT not null,
    enforce_parameter_schema INTEGER BOOLEAN not null,
    schedule_due TEXT TIMESTAMP,
    primary key (workspace, id),
    unique (workspace, flow_id, name),
    foreign key (workspace, flow_id) references flow (workspace, id) on delete cascade
  );
create index ix_deployment_name on deployment (workspace, name);
create index ix_deployment_created on deployment (workspace, created);
create index ix_deployment_updated on deployment (workspace, updated);
create index ix_deployment_queue on deployment (workspace, work_queue_id) where work_queue_id is not null;
create index ix_deployment_unready on deployment (workspace, work_queue_id) where status = 'NOT_READY';
create index ix_deployment_ready on deployment (workspace, id) where status = 'READY';
create index ix_deployment_schedule_due on deployment (workspace, schedule_due) where schedule_due is not null;
create table deployment_schedule (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    deployment_id TEXT UUID not null,
    schedule TEXT JSON not null,
    active INTEGER BOOLEAN not null,
    max_scheduled_runs INTEGER,
    parameters TEXT JSON not null,
    slug TEXT,
    primary key (workspace, id),
    foreign key (workspace, deployment_id) references deployment (workspace, id) on delete cascade
  );
create index ix_deployment_schedule_deployment on deployment_schedule (workspace, deployment_id, updated);
create unique index ix_deployment_schedule_slug on deployment_schedule (workspace, deployment_id, slug) where slug is not null;
create table backfill (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    deployment_id TEXT UUID not null,
    name TEXT not null,
    status TEXT not null,
    schedule TEXT JSON not null,
    start_time TEXT TIMESTAMP not null,
    end_time TEXT TIMESTAMP not null,
    parameters TEXT JSON not null,
    date_parameter TEXT,
    max_unfinished INTEGER not null,
    total INTEGER not null,
    problem TEXT,
    ended TEXT TIMESTAMP,
    created_by TEXT JSON,
    primary key (workspace, id),
    foreign key (workspace, deployment_id) references deployment (workspace, id) on delete cascade
  );
create index ix_backfill_deployment on backfill (workspace, deployment_id, created);
create index ix_backfill_created on backfill (workspace, created, id);
create index ix_backfill_working on backfill (workspace, id) where status in ('RUNNING', 'CANCELLING');
create table backfill_date (
    workspace INTEGER not null,
    backfill_id TEXT UUID not null,
    position INTEGER not null,
    date TEXT TIMESTAMP not null,
    flow_run_id TEXT UUID,
    primary key (workspace, backfill_id, position),
    foreign key (workspace, backfill_id) references backfill (workspace, id) on delete cascade
  );
create index ix_backfill_date_waiting on backfill_date (workspace, backfill_id, position) where flow_run_id is null;
create table concurrency_limit (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    name TEXT not null,
    "limit" INTEGER not null,
    active INTEGER BOOLEAN not null,
    denied_slots INTEGER not null,
    slot_decay_per_second REAL not null,
    avg_slot_occupancy_seconds REAL not null,
    unleased_slots INTEGER not null default 0,
    primary key (workspace, id),
    unique (workspace, name),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create table concurrency_lease (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    expires_at TEXT TIMESTAMP not null,
    holder_type TEXT,
    holder_id TEXT UUID,
    flow_run_id TEXT UUID,
    task_run_id TEXT UUID,
    primary key (workspace, id),
    foreign key (workspace) references workspace (key) on delete cascade,
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade,
    foreign key (workspace, task_run_id) references task_run (workspace, id) on delete cascade
  );
create index ix_concurrency_lease_expires_at on concurrency_lease (workspace, expires_at);
create index ix_concurrency_lease_holder on concurrency_lease (workspace, holder_id) where holder_id is not null;
create index ix_concurrency_lease_flow_run on concurrency_lease (workspace, flow_run_id) where flow_run_id is not null;
create index ix_concurrency_lease_task_run on concurrency_lease (workspace, task_run_id) where task_run_id is not null;
create table concurrency_slot (
    workspace INTEGER not null,
    lease_id TEXT UUID not null,
    concurrency_limit_id TEXT UUID not null,
    slots INTEGER not null,
    primary key (workspace, lease_id, concurrency_limit_id),
    foreign key (workspace, lease_id) references concurrency_lease (workspace, id) on delete cascade,
    foreign key (workspace, concurrency_limit_id) references concurrency_limit (workspace, id) on delete cascade
  );
create index ix_concurrency_slot_limit on concurrency_slot (workspace, concurrency_limit_id);
create table log (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    name TEXT not null,
    level INTEGER not null,
    message TEXT not null,
    timestamp TEXT TIMESTAMP not null,
    flow_run_id TEXT UUID,
    task_run_id TEXT UUID,
    primary key (workspace, id)
  );
create index ix_log_timestamp on log (workspace, timestamp);
create index ix_log_flow_run on log (workspace, flow_run_id, timestamp) where flow_run_id is not null;
create index ix_log_task_run on log (workspace, task_run_id, timestamp) where task_run_id is not null;
create table artifact (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    key TEXT,
    type TEXT,
    description TEXT,
    data TEXT JSON,
    metadata_ TEXT JSON,
    flow_run_id TEXT UUID,
    task_run_id TEXT UUID,
    primary key (workspace, id)
  );
create index ix_artifact_key on artifact (workspace, key, created) where key is not null;
create index ix_artifact_created on artifact (workspace, created);
create index ix_artifact_updated on artifact (workspace, updated);
create index ix_artifact_flow_run on artifact (workspace, flow_run_id) where flow_run_id is not null;
create index ix_artifact_task_run on artifact (workspace, task_run_id) where task_run_id is not null;
create table artifact_collection (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    key TEXT not null,
    latest_id TEXT UUID not null,
    type TEXT,
    description TEXT,
    data TEXT JSON,
    metadata_ TEXT JSON,
    flow_run_id TEXT UUID,
    task_run_id TEXT UUID,
    primary key (workspace, id),
    unique (workspace, key)
  );
create index ix_artifact_collection_latest on artifact_collection (workspace, latest_id);
create table variable (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    name TEXT not null,
    value TEXT JSON not null,
    tags TEXT JSON not null,
    primary key (workspace, id),
    unique (workspace, name)
  );
create table saved_search (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    name TEXT not null,
    filters TEXT JSON not null,
    primary key (workspace, id),
    unique (workspace, name)
  );
create table block_type (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    name TEXT not null,
    slug TEXT not null,
    logo_url TEXT,
    documentation_url TEXT,
    description TEXT,
    code_example TEXT,
    is_protected INTEGER BOOLEAN not null,
    primary key (workspace, id),
    unique (workspace, slug),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create table block_schema (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    checksum TEXT not null,
    fields TEXT JSON not null,
    capabilities TEXT JSON not null,
    version TEXT not null,
    block_type_id TEXT UUID not null,
    primary key (workspace, id),
    unique (workspace, checksum, version),
    foreign key (workspace, block_type_id) references block_type (workspace, id) on delete cascade
  );
create index ix_block_schema_block_type on block_schema (workspace, block_type_id);
create index ix_block_schema_created on block_schema (workspace, created);
create table block_schema_reference (
    workspace INTEGER not null,
    parent_block_schema_id TEXT UUID not null,
    name TEXT not null,
    position INTEGER not null,
    reference_block_schema_id TEXT UUID not null,
    primary key (workspace, parent_block_schema_id, name, position),
    foreign key (workspace, parent_block_schema_id) references block_schema (workspace, id) on delete cascade,
    foreign key (workspace, reference_block_schema_id) references block_schema (workspace, id) on delete cascade
  );
create index ix_block_schema_reference_to on block_schema_reference (workspace, reference_block_schema_id);
create table block_document (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    name TEXT not null,
    encrypted_data TEXT not null,
    is_anonymous INTEGER BOOLEAN not null,
    block_type_id TEXT UUID not null,
    block_schema_id TEXT UUID not null,
    primary key (workspace, id),
    unique (workspace, block_type_id, name),
    foreign key (workspace, block_type_id) references block_type (workspace, id) on delete cascade,
    foreign key (workspace, block_schema_id) references block_schema (workspace, id) on delete cascade
  );
create index ix_block_document_name on block_document (workspace, name);
create index ix_block_document_block_schema on block_document (workspace, block_schema_id);
create table block_document_reference (
    workspace INTEGER not null,
    parent_block_document_id TEXT UUID not null,
    name TEXT not null,
    reference_block_document_id TEXT UUID not null,
    primary key (workspace, parent_block_document_id, name),
    foreign key (workspace, parent_block_document_id) references block_document (workspace, id) on delete cascade,
    foreign key (workspace, reference_block_document_id) references block_document (workspace, id) on delete cascade
  );
create index ix_block_document_reference_to on block_document_reference (workspace, reference_block_document_id);
create table webhook (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    name TEXT not null,
    description TEXT not null,
    template TEXT not null,
    enabled INTEGER BOOLEAN not null,
    slug_hash TEXT not null,
    slug_hint TEXT not null,
    signature TEXT not null,
    encrypted_signature_secret TEXT,
    primary key (workspace, id),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create unique index ix_webhook_slug on webhook (slug_hash);
create index ix_webhook_name on webhook (workspace, name, id);
create table webhook_request (
    workspace INTEGER not null,
    id TEXT UUID not null,
    webhook_id TEXT UUID not null,
    received TEXT TIMESTAMP not null,
    refused INTEGER BOOLEAN not null,
    status INTEGER not null,
    method TEXT not null,
    body_bytes INTEGER not null,
    reason TEXT,
    event_id TEXT UUID,
    event TEXT,
    primary key (workspace, id),
    foreign key (workspace, webhook_id) references webhook (workspace, id) on delete cascade
  );
create index ix_webhook_request_webhook on webhook_request (workspace, webhook_id, refused, id);
create table flow_run_count (
        workspace INTEGER not null,
        state_type TEXT not null,
        count INTEGER not null,
        primary key (workspace, state_type)
      ) without rowid;
create trigger flow_run_counted_in after insert on flow_run begin
        insert into flow_run_count values (new.workspace, coalesce(new.state_type, ''), 1)
          on conflict do update set count = count + 1;
      end;
create trigger flow_run_recounted after update of state_type on flow_run
        when old.state_type is not new.state_type begin
        update flow_run_count set count = count - 1
          where workspace = old.workspace and state_type = coalesce(old.state_type, '');
        insert into flow_run_count values (new.workspace, coalesce(new.state_type, ''), 1)
          on conflict do update set count = count + 1;
      end;
create trigger flow_run_counted_out after delete on flow_run begin
        update flow_run_count set count = count - 1
          where workspace = old.workspace and state_type = coalesce(old.state_type, '');
      end;
create index ix_flow_run_active on flow_run (workspace, work_queue_id)
        where work_queue_id is not null and state_type in ('PENDING', 'RUNNING', 'CANCELLING');
create index ix_flow_run_start on flow_run (workspace, (coalesce(start_time, expected_start_time)), id, state_type, state_name);
create index ix_flow_run_flow_start on flow_run (workspace, flow_id, (coalesce(start_time, expected_start_time)), id, state_type, state_name);
create index ix_flow_run_deployment_start on flow_run (workspace, deployment_id, (coalesce(start_time, expected_start_time)), id, state_type, state_name)
    where deployment_id is not null;
create index ix_flow_run_state on flow_run (workspace, state_type, expected_start_time, state_name, total_run_time,
  state_timestamp, (case when start_time is null then null
    when start_time > expected_start_time
      then (unixepoch(substr(start_time, 1, 19)) - unixepoch(substr(expected_start_time, 1, 19)))
        + (substr(start_time, 21, 6) - substr(expected_start_time, 21, 6)) / 1000000.0
    else 0.0 end), start_time);
create index ix_flow_run_history on flow_run (workspace, expected_start_time, state_type, state_name, total_run_time,
  state_timestamp, (case when start_time is null then null
    when start_time > expected_start_time
      then (unixepoch(substr(start_time, 1, 19)) - unixepoch(substr(expected_start_time, 1, 19)))
        + (substr(start_time, 21, 6) - substr(expected_start_time, 21, 6)) / 1000000.0
    else 0.0 end));
create index ix_task_run_state on task_run (workspace, state_type, expected_start_time, state_name, total_run_time,
  state_timestamp, (case when start_time is null then null
    when start_time > expected_start_time
      then (unixepoch(substr(start_time, 1, 19)) - unixepoch(substr(expected_start_time, 1, 19)))
        + (substr(start_time, 21, 6) - substr(expected_start_time, 21, 6)) / 1000000.0
    else 0.0 end), start_time);
create index ix_task_run_history on task_run (workspace, expected_start_time, state_type, state_name, total_run_time,
  state_timestamp, (case when start_time is null then null
    when start_time > expected_start_time
      then (unixepoch(substr(start_time, 1, 19)) - unixepoch(substr(expected_start_time, 1, 19)))
        + (substr(start_time, 21, 6) - substr(expected_start_time, 21, 6)) / 1000000.0
    else 0.0 end));
create table flow_run_sum (workspace INTEGER not null, placed_by TEXT not null, span_seconds INTEGER not null,
    begins TEXT TIMESTAMP not null, state_type TEXT not null, state_name TEXT not null, count INTEGER not null,
    run_microseconds INTEGER not null, lateness_microseconds INTEGER not null, primary key (workspace, placed_by, span_seconds, begins, state_type, state_name))
      without rowid;
create trigger flow_run_summed_at_insert_by_expected_start after insert on flow_run when (new.state_type = 'COMPLETED' or new.state_type = 'FAILED'
    or new.state_type = 'CRASHED' or new.state_type = 'CANCELLED') and new.expected_start_time is not null
      begin insert into flow_run_sum values (new.workspace, 'expected_start', 300,
      substr(new.expected_start_time, 1, 15)
      || case when substr(new.expected_start_time, 16, 1) < '5' then '0' else '5' end || ':00.000000Z', new.state_type, new.state_name, 1, cast(round(new.total_run_time * 1000000) as integer), case when new.start_time > new.expected_start_time
    then (unixepoch(substr(new.start_time, 1, 19)) - unixepoch(substr(new.expected_start_time, 1, 19))) * 1000000
      + substr(new.start_time, 21, 6) - substr(new.expected_start_time, 21, 6)
    else 0 end)
    on conflict do update set count = count + 1, run_microseconds = run_microseconds + excluded.run_microseconds,
      lateness_microseconds = lateness_microseconds + excluded.lateness_microseconds; insert into flow_run_sum values (new.workspace, 'expected_start', 3600,
      substr(new.expected_start_time, 1, 14) || '00:00.000000Z', new.state_type, new.state_name, 1, cast(round(new.total_run_time * 1000000) as integer), case when new.start_time > new.expected_start_time
    then (unixepoch(substr(new.start_time, 1, 19)) - unixepoch(substr(new.expected_start_time, 1, 19))) * 1000000
      + substr(new.start_time, 21, 6) - substr(new.expected_start_time, 21, 6)
    else 0 end)
    on conflict do update set count = count + 1, run_microseconds = run_microseconds + excluded.run_microseconds,
      lateness_microseconds = lateness_microseconds + excluded.lateness_microseconds; end;
create trigger flow_run_taken_from_sum_by_expected_start after update of state_type, state_name, expected_start_time, start_time, total_run_time on flow_run when (old.state_type = 'COMPLETED' or old.state_type = 'FAILED'
    or old.state_type = 'CRASHED' or old.state_type = 'CANCELLED') and old.expected_start_time is not null
      begin update flow_run_sum set count = count - 1,
      run_microseconds = run_microseconds - cast(round(old.total_run_time * 1000000) as integer),
      lateness_microseconds = lateness_microseconds - case when old.start_time > old.expected_start_time
    then (unixepoch(substr(old.start_time, 1, 19)) - unixepoch(substr(old.expected_start_time, 1, 19))) * 1000000
      + substr(old.start_time, 21, 6) - substr(old.expected_start_time, 21, 6)
    else 0 end where workspace = old.workspace and placed_by = 'expected_start' and span_seconds = 300
    and begins = substr(old.expected_start_time, 1, 15)
      || case when substr(old.expected_start_time, 16, 1) < '5' then '0' else '5' end || ':00.000000Z' and state_type = old.state_type and state_name = old.state_name;
    delete from flow_run_sum where workspace = old.workspace and placed_by = 'expected_start' and span_seconds = 300
    and begins = substr(old.expected_start_time, 1, 15)
      || case when substr(old.expected_start_time, 16, 1) < '5' then '0' else '5' end || ':00.000000Z' and state_type = old.state_type and state_name = old.state_name and count = 0; update flow_run_sum set count = count - 1,
      run_microseconds = run_microseconds - cast(round(old.total_run_time * 1000000) as integer),
      lateness_microseconds = lateness_microseconds - case when old.start_time > old.expected_start_time
    then (unixepoch(substr(old.start_time, 1, 19)) - unixepoch(substr(old.expected_start_time, 1, 19))) * 1000000
      + substr(old.start_time, 21, 6) - substr(old.expected_start_time, 21, 6)
    else 0 end where workspace = old.workspace and placed_by = 'expected_start' and span_seconds = 3600
    and begins = substr(old.expected_start_time, 1, 14) || '00:00.000000Z' and state_type = old.state_type and state_name = old.state_name;
    delete from flow_run_sum where workspace = old.workspace and placed_by = 'expected_start' and span_seconds = 3600
    and begins = substr(old.expected_start_time, 1, 14) || '00:00.000000Z' and state_type = old.state_type and state_name = old.state_name and count = 0; end;
create trigger flow_run_summed_by_expected_start after update of state_type, state_name, expected_start_time, start_time, total_run_time on flow_run when (new.state_type = 'COMPLETED' or new.state_type = 'FAILED'
    or new.state_type = 'CRASHED' or new.state_type = 'CANCELLED') and new.expected_start_time is not null
      begin insert into flow_run_sum values (new.workspace, 'expected_start', 300,
      substr(new.expected_start_time, 1, 15)
      || case when substr(new.expected_start_time, 16, 1) < '5' then '0' else '5' end || ':00.000000Z', new.state_type, new.state_name, 1, cast(round(new.total_run_time * 1000000) as integer), case when new.start_time > new.expected_start_time
    then (unixepoch(substr(new.start_time, 1, 19)) - unixepoch(substr(new.expected_start_time, 1, 19))) * 1000000
      + substr(new.start_time, 21, 6) - substr(new.expected_start_time, 21, 6)
    else 0 end)
    on conflict do update set count = count + 1, run_microseconds = run_microseconds + excluded.run_microseconds,
      lateness_microseconds = lateness_microseconds + excluded.lateness_microseconds; insert into flow_run_sum values (new.workspace, 'expected_start', 3600,
      substr(new.expected_start_time, 1, 14) || '00:00.000000Z', new.state_type, new.state_name, 1, cast(round(new.total_run_time * 1000000) as integer), case when new.start_time > new.expected_start_time
    then (unixepoch(substr(new.start_time, 1, 19)) - unixepoch(substr(new.expected_start_time, 1, 19))) * 1000000
      + substr(new.start_time, 21, 6) - substr(new.expected_start_time, 21, 6)
    else 0 end)
    on conflict do update set count = count + 1, run_microseconds = run_microseconds + excluded.run_microseconds,
      lateness_microseconds = lateness_microseconds + excluded.lateness_microseconds; end;
create trigger flow_run_taken_at_delete_by_expected_start after delete on flow_run when (old.state_type = 'COMPLETED' or old.state_type = 'FAILED'
    or old.state_type = 'CRASHED' or old.state_type = 'CANCELLED') and old.expected_start_time is not null
      begin update flow_run_sum set count = count - 1,
      run_microseconds = run_microseconds - cast(round(old.total_run_time * 1000000) as integer),
      lateness_microseconds = lateness_microseconds - case when old.start_time > old.expected_start_time
    then (unixepoch(substr(old.start_time, 1, 19)) - unixepoch(substr(old.expected_start_time, 1, 19))) * 1000000
      + substr(old.start_time, 21, 6) - substr(old.expected_start_time, 21, 6)
    else 0 end where workspace = old.workspace and placed_by = 'expected_start' and span_seconds = 300
    and begins = substr(old.expected_start_time, 1, 15)
      || case when substr(old.expected_start_time, 16, 1) < '5' then '0' else '5' end || ':00.000000Z' and state_type = old.state_type and state_name = old.state_name;
    delete from flow_run_sum where workspace = old.workspace and placed_by = 'expected_start' and span_seconds = 300
    and begins = substr(old.expected_start_time, 1, 15)
      || case when substr(old.expected_start_time, 16, 1) < '5' then '0' else '5' end || ':00.000000Z' and state_type = old.state_type and state_name = old.state_name and count = 0; update flow_run_sum set count = count - 1,
      run_microseconds = run_microseconds - cast(round(old.total_run_time * 1000000) as integer),
      lateness_microseconds = lateness_microseconds - case when old.start_time > old.expected_start_time
    then (unixepoch(substr(old.start_time, 1, 19)) - unixepoch(substr(old.expected_start_time, 1, 19))) * 1000000
      + substr(old.start_time, 21, 6) - substr(old.expected_start_time, 21, 6)
    else 0 end where workspace = old.workspace and placed_by = 'expected_start' and span_seconds = 3600
    and begins = substr(old.expected_start_time, 1, 14) || '00:00.000000Z' and state_type = old.state_type and state_name = old.state_name;
    delete from flow_run_sum where workspace = old.workspace and placed_by = 'expected_start' and span_seconds = 3600
    and begins = substr(old.expected_start_time, 1, 14) || '00:00.000000Z' and state_type = old.state_type and state_name = old.state_name and count = 0; end;
create trigger flow_run_summed_at_insert_by_start after insert on flow_run when (new.state_type = 'COMPLETED' or new.state_type = 'FAILED'
    or new.state_type = 'CRASHED' or new.state_type = 'CANCELLED') and coalesce(new.start_time, new.expected_start_time) is not null
      begin insert into flow_run_sum values (new.workspace, 'start', 300,
      substr(coalesce(new.start_time, new.expected_start_time), 1, 15)
      || case when substr(coalesce(new.start_time, new.expected_start_time), 16, 1) < '5' then '0' else '5' end || ':00.000000Z', new.state_type, new.state_name, 1, cast(round(new.total_run_time * 1000000) as integer), case when new.start_time > new.expected_start_time
    then (unixepoch(substr(new.start_time, 1, 19)) - unixepoch(substr(new.expected_start_time, 1, 19))) * 1000000
      + substr(new.start_time, 21, 6) - substr(new.expected_start_time, 21, 6)
    else 0 end)
    on conflict do update set count = count + 1, run_microseconds = run_microseconds + excluded.run_microseconds,
      lateness_microseconds = lateness_microseconds + excluded.lateness_microseconds; insert into flow_run_sum values (new.workspace, 'start', 3600,
      substr(coalesce(new.start_time, new.expected_start_time), 1, 14) || '00:00.000000Z', new.state_type, new.state_name, 1, cast(round(new.total_run_time * 1000000) as integer), case when new.start_time > new.expected_start_time
    then (unixepoch(substr(new.start_time, 1, 19)) - unixepoch(substr(new.expected_start_time, 1, 19))) * 1000000
      + substr(new.start_time, 21, 6) - substr(new.expected_start_time, 21, 6)
    else 0 end)
    on conflict do update set count = count + 1, run_microseconds = run_microseconds + excluded.run_microseconds,
      lateness_microseconds = lateness_microseconds + excluded.lateness_microseconds; end;
create trigger flow_run_taken_from_sum_by_start after update of state_type, state_name, expected_start_time, start_time, total_run_time on flow_run when (old.state_type = 'COMPLETED' or old.state_type = 'FAILED'
    or old.state_type = 'CRASHED' or old.state_type = 'CANCELLED') and coalesce(old.start_time, old.expected_start_time) is not null
      begin update flow_run_sum set count = count - 1,
      run_microseconds = run_microseconds - cast(round(old.total_run_time * 1000000) as integer),
      lateness_microseconds = lateness_microseconds - case when old.start_time > old.expected_start_time
    then (unixepoch(substr(old.start_time, 1, 19)) - unixepoch(substr(old.expected_start_time, 1, 19))) * 1000000
      + substr(old.start_time, 21, 6) - substr(old.expected_start_time, 21, 6)
    else 0 end where workspace = old.workspace and placed_by = 'start' and span_seconds = 300
    and begins = substr(coalesce(old.start_time, old.expected_start_time), 1, 15)
      || case when substr(coalesce(old.start_time, old.expected_start_time), 16, 1) < '5' then '0' else '5' end || ':00.000000Z' and state_type = old.state_type and state_name = old.state_name;
    delete from flow_run_sum where workspace = old.workspace and placed_by = 'start' and span_seconds = 300
    and begins = substr(coalesce(old.start_time, old.expected_start_time), 1, 15)
      || case when substr(coalesce(old.start_time, old.expected_start_time), 16, 1) < '5' then '0' else '5' end || ':00.000000Z' and state_type = old.state_type and state_name = old.state_name and count = 0; update flow_run_sum set count = count - 1,
      run_microseconds = run_microseconds - cast(round(old.total_run_time * 1000000) as integer),
      lateness_microseconds = lateness_microseconds - case when old.start_time > old.expected_start_time
    then (unixepoch(substr(old.start_time, 1, 19)) - unixepoch(substr(old.expected_start_time, 1, 19))) * 1000000
      + substr(old.start_time, 21, 6) - substr(old.expected_start_time, 21, 6)
    else 0 end where workspace = old.workspace and placed_by = 'start' and span_seconds = 3600
    and begins = substr(coalesce(old.start_time, old.expected_start_time), 1, 14) || '00:00.000000Z' and state_type = old.state_type and state_name = old.state_name;
    delete from flow_run_sum where workspace = old.workspace and placed_by = 'start' and span_seconds = 3600
    and begins = substr(coalesce(old.start_time, old.expected_start_time), 1, 14) || '00:00.000000Z' and state_type = old.state_type and state_name = old.state_name and count = 0; end;
create trigger flow_run_summed_by_start after update of state_type, state_name, expected_start_time, start_time, total_run_time on flow_run when (new.state_type = 'COMPLETED' or new.state_type = 'FAILED'
    or new.state_type = 'CRASHED' or new.state_type = 'CANCELLED') and coalesce(new.start_time, new.expected_start_time) is not null
      begin insert into flow_run_sum values (new.workspace, 'start', 300,
      substr(coalesce(new.start_time, new.expected_start_time), 1, 15)
      || case when substr(coalesce(new.start_time, new.expected_start_time), 16, 1) < '5' then '0' else '5' end || ':00.000000Z', new.state_type, new.state_name, 1, cast(round(new.total_run_time * 1000000) as integer), case when new.start_time > new.expected_start_time
    then (unixepoch(substr(new.start_time, 1, 19)) - unixepoch(substr(new.expected_start_time, 1, 19))) * 1000000
      + substr(new.start_time, 21, 6) - substr(new.expected_start_time, 21, 6)
    else 0 end)
    on conflict do update set count = count + 1, run_microseconds = run_microseconds + excluded.run_microseconds,
      lateness_microseconds = lateness_microseconds + excluded.lateness_microseconds; insert into flow_run_sum values (new.workspace, 'start', 3600,
      substr(coalesce(new.start_time, new.expected_start_time), 1, 14) || '00:00.000000Z', new.state_type, new.state_name, 1, cast(round(new.total_run_time * 1000000) as integer), case when new.start_time > new.expected_start_time
    then (unixepoch(substr(new.start_time, 1, 19)) - unixepoch(substr(new.expected_start_time, 1, 19))) * 1000000
      + substr(new.start_time, 21, 6) - substr(new.expected_start_time, 21, 6)
    else 0 end)
    on conflict do update set count = count + 1, run_microseconds = run_microseconds + excluded.run_microseconds,
      lateness_microseconds = lateness_microseconds + excluded.lateness_microseconds; end;
create trigger flow_run_taken_at_delete_by_start after delete on flow_run when (old.state_type = 'COMPLETED' or old.state_type = 'FAILED'
    or old.state_type = 'CRASHED' or old.state_type = 'CANCELLED') and coalesce(old.start_time, old.expected_start_time) is not null
      begin update flow_run_sum set count = count - 1,
      run_microseconds = run_microseconds - cast(round(old.total_run_time * 1000000) as integer),
      lateness_microseconds = lateness_microseconds - case when old.start_time > old.expected_start_time
    then (unixepoch(substr(old.start_time, 1, 19)) - unixepoch(substr(old.expected_start_time, 1, 19))) * 1000000
      + substr(old.start_time, 21, 6) - substr(old.expected_start_time, 21, 6)
    else 0 end where workspace = old.workspace and placed_by = 'start' and span_seconds = 300
    and begins = substr(coalesce(old.start_time, old.expected_start_time), 1, 15)
      || case when substr(coalesce(old.start_time, old.expected_start_time), 16, 1) < '5' then '0' else '5' end || ':00.000000Z' and state_type = old.state_type and state_name = old.state_name;
    delete from flow_run_sum where workspace = old.workspace and placed_by = 'start' and span_seconds = 300
    and begins = substr(coalesce(old.start_time, old.expected_start_time), 1, 15)
      || case when substr(coalesce(old.start_time, old.expected_start_time), 16, 1) < '5' then '0' else '5' end || ':00.000000Z' and state_type = old.state_type and state_name = old.state_name and count = 0; update flow_run_sum set count = count - 1,
      run_microseconds = run_microseconds - cast(round(old.total_run_time * 1000000) as integer),
      lateness_microseconds = lateness_microseconds - case when old.start_time > old.expected_start_time
    then (unixepoch(substr(old.start_time, 1, 19)) - unixepoch(substr(old.expected_start_time, 1, 19))) * 1000000
      + substr(old.start_time, 21, 6) - substr(old.expected_start_time, 21, 6)
    else 0 end where workspace = old.workspace and placed_by = 'start' and span_seconds = 3600
    and begins = substr(coalesce(old.start_time, old.expected_start_time), 1, 14) || '00:00.000000Z' and state_type = old.state_type and state_name = old.state_name;
    delete from flow_run_sum where workspace = old.workspace and placed_by = 'start' and span_seconds = 3600
    and begins = substr(coalesce(old.start_time, old.expected_start_time), 1, 14) || '00:00.000000Z' and state_type = old.state_type and state_name = old.state_name and count = 0; end;
create trigger block_document_takes_along after delete on block_document begin 
  delete from concurrency_limit where workspace = old.workspace and name in
    (select 'deployment:' || id from deployment where workspace = old.workspace
      and (infrastructure_document_id = old.id or storage_document_id = old.id));
  delete from deployment
    where workspace = old.workspace and (infrastructure_document_id = old.id or storage_document_id = old.id);
  delete from flow_run where workspace = old.workspace and infrastructure_document_id = old.id; end;
insert into migration values ('0002-orchestration', '2026-01-01T00:00:00.000Z', null);
-- migration 0003-events
create table event (
    workspace INTEGER not null,
    id TEXT UUID not null,
    occurred TEXT TIMESTAMP not null,
    received TEXT TIMESTAMP not null,
    event TEXT not null,
    resource_id TEXT not null,
    resource TEXT JSON not null,
    related TEXT JSON not null,
    payload TEXT JSON not null,
    follows TEXT UUID,
    primary key (workspace, id)
  );
create index ix_event_occurred on event (workspace, occurred, id);
create index ix_event_resource_occurred on event (workspace, resource_id, occurred, id);
create index ix_event_name_occurred on event (workspace, event, occurred, id);
create table event_resource (
  workspace INTEGER not null,
  resource_id TEXT not null,
  role TEXT not null,
  occurred TEXT TIMESTAMP not null,
  event_id TEXT UUID not null,
        primary key (workspace, resource_id, occurred, event_id, role)
      ) without rowid;
create trigger event_resource_goes after delete on event begin
        delete from event_resource where workspace = old.workspace and occurred = old.occurred and event_id = old.id
          and resource_id in (select coalesce(value ->> '$."prefect.resource.id"', '') from json_each(old.related));
      end;
create table automation_event (position INTEGER primary key autoincrement, 
  workspace INTEGER not null,
  event_id TEXT UUID not null,
  follows TEXT UUID,
  waits_until TEXT TIMESTAMP);
create table automation (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    name TEXT not null,
    description TEXT not null,
    tags TEXT JSON not null,
    enabled INTEGER BOOLEAN not null,
    "trigger" TEXT JSON not null,
    actions TEXT JSON not null,
    actions_on_trigger TEXT JSON not null,
    actions_on_resolve TEXT JSON not null,
    primary key (workspace, id),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create index ix_automation_enabled on automation (workspace, id) where enabled;
create index ix_automation_name on automation (workspace, name);
create table automation_related_resource (
    workspace INTEGER not null,
    automation_id TEXT UUID not null,
    resource_id TEXT not null,
    automation_owned_by_resource INTEGER BOOLEAN not null,
    primary key (workspace, automation_id, resource_id),
    foreign key (workspace, automation_id) references automation (workspace, id) on delete cascade
  );
create index ix_automation_related_resource on automation_related_resource (workspace, resource_id);
create table automation_progress (
    workspace INTEGER primary key,
    version INTEGER not null,
    last_occurred TEXT TIMESTAMP,
    last_seen TEXT TIMESTAMP,
    foreign key (workspace) references workspace (key) on delete cascade
  );
create table automation_bucket (
    workspace INTEGER not null,
    trigger_id TEXT UUID not null,
    key_digest TEXT not null,
    automation_id TEXT UUID not null,
    bucketing_key TEXT JSON not null,
    "start" TEXT TIMESTAMP not null,
    "end" TEXT TIMESTAMP not null,
    count INTEGER not null,
    last_event_id TEXT UUID,
    primary key (workspace, trigger_id, key_digest),
    foreign key (workspace, automation_id) references automation (workspace, id) on delete cascade
  );
create index ix_automation_bucket_automation on automation_bucket (workspace, automation_id);
create index ix_automation_bucket_end on automation_bucket (workspace, "end");
create table automation_child_firing (
    workspace INTEGER not null,
    parent_trigger_id TEXT UUID not null,
    child_trigger_id TEXT UUID not null,
    automation_id TEXT UUID not null,
    fired TEXT TIMESTAMP not null,
    firing TEXT JSON not null,
    primary key (workspace, parent_trigger_id, child_trigger_id),
    foreign key (workspace, automation_id) references automation (workspace, id) on delete cascade
  );
create index ix_automation_child_firing_automation on automation_child_firing (workspace, automation_id);
create index ix_automation_event_position on automation_event (workspace, position) where waits_until is null;
create index ix_automation_event_waiting on automation_event (workspace, waits_until) where waits_until is not null;
create index ix_automation_event_follows on automation_event (workspace, follows) where waits_until is not null;
create index ix_automation_event_event on automation_event (workspace, event_id);
create table automation_action (
    workspace INTEGER not null,
    id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    automation_id TEXT UUID not null,
    firing TEXT JSON not null,
    triggering_event TEXT JSON,
    action TEXT JSON not null,
    action_index INTEGER not null,
    state TEXT not null,
    started TEXT TIMESTAMP,
    holder TEXT,
    primary key (workspace, id),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create index ix_automation_action_state on automation_action (workspace, state, created, id);
insert into migration values ('0003-events', '2026-01-01T00:00:00.000Z', null);
-- migration 0004-gateway
create table mcp_server (
    id TEXT UUID primary key,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    organization_id TEXT UUID not null,
    slug TEXT not null,
    name TEXT not null,
    description TEXT not null,
    kind TEXT not null,
    visibility TEXT not null,
    default_role TEXT,
    authentication TEXT not null,
    policy TEXT JSON not null,
    policy_version INTEGER not null,
    connection TEXT JSON not null,
    encrypted_credential TEXT,
    connection_version INTEGER not null,
    manifest TEXT JSON,
    manifest_version INTEGER not null,
    manifest_read_at TEXT TIMESTAMP,
    manifest_error TEXT,
    manifest_due TEXT TIMESTAMP,
    stopped_at TEXT TIMESTAMP,
    denied_as TEXT not null default 'forbidden',
    workspace_id TEXT UUID,
    personal_credential TEXT JSON,
    encrypted_client_secret TEXT,
    limits TEXT JSON,
    approved_tools TEXT JSON,
    foreign key (organization_id) references organization (id) on delete cascade
  );
create unique index ix_mcp_server_slug on mcp_server (organization_id, slug);
create unique index ix_mcp_server_workspace on mcp_server (workspace_id) where workspace_id is not null;
create index ix_mcp_server_manifest_due on mcp_server (manifest_due) where manifest_due is not null;
create table mcp_request (
    server_id TEXT UUID not null,
    id TEXT UUID not null,
    occurred TEXT TIMESTAMP not null,
    actor_type TEXT,
    actor_id TEXT UUID,
    actor_name TEXT,
    method TEXT,
    capability TEXT,
    status INTEGER not null,
    error_code INTEGER,
    decision TEXT not null,
    reason TEXT not null,
    duration_microseconds INTEGER not null,
    request_bytes INTEGER not null,
    response_bytes INTEGER not null,
    session TEXT UUID,
    client_name TEXT,
    client_version TEXT,
    protocol_version TEXT,
    primary key (server_id, id)
  );
create table mcp_session (
    server_id TEXT UUID not null,
    id TEXT UUID not null,
    actor_type TEXT,
    actor_id TEXT UUID,
    actor_name TEXT,
    client_name TEXT,
    client_version TEXT,
    protocol_version TEXT,
    first_activity TEXT TIMESTAMP not null,
    last_activity TEXT TIMESTAMP not null,
    requests INTEGER not null,
    tool_calls INTEGER not null,
    errors INTEGER not null,
    primary key (server_id, id)
  );
create table mcp_quota (
    counter TEXT primary key,
    server_id TEXT UUID not null,
    taken TEXT JSON not null,
    updated TEXT TIMESTAMP not null,
    foreign key (server_id) references mcp_server (id) on delete cascade
  );
create index ix_mcp_quota_server on mcp_quota (server_id);
create index ix_mcp_quota_updated on mcp_quota (updated);
create table mcp_quota_place (
    counter TEXT not null,
    holder TEXT UUID not null,
    server_id TEXT UUID not null,
    places INTEGER not null,
    expires_at TEXT TIMESTAMP not null,
    primary key (counter, holder),
    foreign key (server_id) references mcp_server (id) on delete cascade
  );
create index ix_mcp_quota_place_server on mcp_quota_place (server_id);
create index ix_mcp_quota_place_expires on mcp_quota_place (expires_at);
create table access_request (
    id TEXT UUID primary key,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    organization_id TEXT UUID not null,
    server_id TEXT UUID not null,
    user_id TEXT UUID not null,
    reason TEXT not null,
    state TEXT not null,
    role TEXT,
    answer TEXT,
    decided_at TEXT TIMESTAMP,
    decided_by TEXT,
    foreign key (organization_id, user_id) references membership (organization_id, user_id) on delete cascade,
    foreign key (server_id) references mcp_server (id) on delete cascade
  );
create unique index ix_access_request_server on access_request (server_id, user_id);
create index ix_access_request_user on access_request (organization_id, user_id, id);
create index ix_access_request_state on access_request (organization_id, state, id);
create trigger mcp_server_access_changed after update of policy_version, default_role, visibility, authentication, slug, organization_id on mcp_server
        when old.policy_version is not new.policy_version or old.default_role is not new.default_role or old.visibility is not new.visibility or old.authentication is not new.authentication or old.slug is not new.slug or old.organization_id is not new.organization_id begin update access_version set version = version + 1; end;
create trigger mcp_server_access_ended after delete on mcp_server begin update access_version set version = version + 1; end;
insert into migration values ('0004-gateway', '2026-01-01T00:00:00.000Z', null);
-- migration 0005-hosting
create table server_variable (
      id TEXT UUID primary key,
      created TEXT TIMESTAMP not null,
      updated TEXT TIMESTAMP not null,
      server_id TEXT UUID not null,
      name TEXT not null,
      encrypted_value TEXT not null,
      sensitive INTEGER BOOLEAN not null,
      description TEXT not null,
      foreign key (server_id) references mcp_server (id) on delete cascade
    );
create unique index ix_server_variable_name on server_variable (server_id, name);
create table server_upload (
      id TEXT UUID primary key,
      created TEXT TIMESTAMP not null,
      server_id TEXT UUID not null,
      size_bytes INTEGER not null,
      checksum_sha256 TEXT not null,
      stored INTEGER BOOLEAN not null,
      foreign key (server_id) references mcp_server (id) on delete cascade
    );
create index ix_server_upload_server on server_upload (server_id, id);
create index ix_server_upload_created on server_upload (created);
create table server_build (
      id TEXT UUID primary key,
      created TEXT TIMESTAMP not null,
      server_id TEXT UUID not null,
      actor_name TEXT not null,
      state TEXT not null,
      source TEXT JSON not null,
      entrypoint TEXT,
      dependency_path TEXT,
      promote INTEGER BOOLEAN not null,
      encrypted_environment TEXT,
      claimed_until TEXT TIMESTAMP,
      cancel_requested INTEGER BOOLEAN not null,
      started TEXT TIMESTAMP,
      finished TEXT TIMESTAMP,
      error TEXT,
      launch TEXT JSON,
      resolved TEXT JSON,
      foreign key (server_id) references mcp_server (id) on delete cascade
    );
create index ix_server_build_server on server_build (server_id, id);
create index ix_server_build_state on server_build (state, id);
create table server_deployment (
      id TEXT UUID primary key,
      created TEXT TIMESTAMP not null,
      server_id TEXT UUID not null,
      build_id TEXT UUID not null,
      actor_name TEXT not null,
      status TEXT not null,
      ended TEXT TIMESTAMP,
      foreign key (server_id) references mcp_server (id) on delete cascade,
      foreign key (build_id) references server_build (id) on delete cascade
    );
create index ix_server_deployment_server on server_deployment (server_id, id);
create index ix_server_deployment_build on server_deployment (build_id);
create unique index ix_server_deployment_live on server_deployment (server_id) where status = 'live';
create table server_build_log (
      id TEXT UUID primary key,
      build_id TEXT UUID not null,
      occurred TEXT TIMESTAMP not null,
      stream TEXT not null,
      message TEXT not null,
      foreign key (build_id) references server_build (id) on delete cascade
    );
create index ix_server_build_log_build on server_build_log (build_id, id);
create table server_process_log (
      id TEXT UUID primary key,
      server_id TEXT UUID not null,
      occurred TEXT TIMESTAMP not null,
      stream TEXT not null,
      message TEXT not null,
      foreign key (server_id) references mcp_server (id) on delete cascade
    );
create index ix_server_process_log_server on server_process_log (server_id, id);
create index ix_server_process_log_occurred on server_process_log (occurred);
insert into migration values ('0005-hosting', '2026-01-01T00:00:00.000Z', null);
-- migration 0006-oauth
create table oauth_client (
    id TEXT primary key,
    created TEXT TIMESTAMP not null,
    metadata TEXT JSON not null,
    used_at TEXT TIMESTAMP
  );
create index ix_oauth_client_created on oauth_client (created);
create table oauth_connection (
    id TEXT UUID primary key,
    created TEXT TIMESTAMP not null,
    user_id TEXT UUID not null,
    organization_id TEXT UUID not null,
    server_id TEXT UUID not null,
    client_id TEXT not null,
    client_name TEXT not null,
    redirect_uri TEXT not null,
    resource TEXT not null,
    scope TEXT not null,
    expires_at TEXT TIMESTAMP not null,
    last_used_at TEXT TIMESTAMP,
    foreign key (organization_id, user_id) references membership (organization_id, user_id) on delete cascade,
    foreign key (server_id) references mcp_server (id) on delete cascade
  );
create index ix_oauth_connection_user on oauth_connection (user_id, id);
create index ix_oauth_connection_membership on oauth_connection (organization_id, user_id);
create index ix_oauth_connection_server on oauth_connection (server_id);
create index ix_oauth_connection_client on oauth_connection (client_id);
create table oauth_token (
    hash TEXT primary key,
    kind TEXT not null,
    connection_id TEXT UUID not null,
    created TEXT TIMESTAMP not null,
    scope TEXT not null,
    payload TEXT JSON not null,
    expires_at TEXT TIMESTAMP not null,
    consumed_at TEXT TIMESTAMP,
    foreign key (connection_id) references oauth_connection (id) on delete cascade
  );
create index ix_oauth_token_connection on oauth_token (connection_id);
create index ix_oauth_token_expires on oauth_token (expires_at);
create table oauth_flow (
    hash TEXT primary key,
    kind TEXT not null,
    payload TEXT JSON not null,
    expires_at TEXT TIMESTAMP not null
  );
create index ix_oauth_flow_expires on oauth_flow (expires_at);
create trigger oauth_connection_access_changed after update of scope, expires_at on oauth_connection
        when old.scope is not new.scope or old.expires_at is not new.expires_at begin update access_version set version = version + 1; end;
create trigger oauth_connection_access_ended after delete on oauth_connection begin update access_version set version = version + 1; end;
insert into migration values ('0006-oauth', '2026-01-01T00:00:00.000Z', null);
-- migration 0007-remix
alter table mcp_request add column source_id TEXT UUID;
insert into migration values ('0007-remix', '2026-01-01T00:00:00.000Z', '0006-oauth');
-- migration 0008-ended-sessions
create trigger session_access_changed after update of expires_at on session
        when old.expires_at is not new.expires_at begin update access_version set version = version + 1; end;
create trigger session_access_ended after delete on session begin update access_version set version = version + 1; end;
insert into migration values ('0008-ended-sessions', '2026-01-01T00:00:00.000Z', '0007-remix');
-- migration 0009-upstream-credentials
create table upstream_client (
    server_id TEXT UUID primary key,
    created TEXT TIMESTAMP not null,
    redirect_uri TEXT not null,
    encrypted_client TEXT not null,
    foreign key (server_id) references mcp_server (id) on delete cascade
  );
create table upstream_credential (
    id TEXT UUID primary key,
    created TEXT TIMESTAMP not null,
    updated TEXT TIMESTAMP not null,
    organization_id TEXT UUID not null,
    user_id TEXT UUID not null,
    server_id TEXT UUID not null,
    kind TEXT not null,
    encrypted_secret TEXT not null,
    scope TEXT,
    expires_at TEXT TIMESTAMP,
    problem TEXT,
    version INTEGER not null,
    renewing_until TEXT TIMESTAMP,
    foreign key (organization_id, user_id) references membership (organization_id, user_id) on delete cascade,
    foreign key (server_id) references mcp_server (id) on delete cascade
  );
create unique index ix_upstream_credential_server on upstream_credential (server_id, user_id);
create index ix_upstream_credential_user on upstream_credential (user_id, id);
create index ix_upstream_credential_membership on upstream_credential (organization_id, user_id);
create trigger upstream_credential_access_changed after update of server_id, user_id on upstream_credential
        when old.server_id is not new.server_id or old.user_id is not new.user_id begin update access_version set version = version + 1; end;
create trigger upstream_credential_access_ended after delete on upstream_credential begin update access_version set version = version + 1; end;
insert into migration values ('0009-upstream-credentials', '2026-01-01T00:00:00.000Z', '0008-ended-sessions');
-- migration 0010-ended-mcp-sessions
create table mcp_ended_session (id TEXT UUID primary key, expires_at TEXT TIMESTAMP not null);
create index ix_mcp_ended_session_expires on mcp_ended_session (expires_at);
insert into migration values ('0010-ended-mcp-sessions', '2026-01-01T00:00:00.000Z', '0009-upstream-credentials');
