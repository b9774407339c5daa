-- The schema of release 0.1.0. Written by scripts/freeze-schema.ts, and never changed.
create table migration (name text primary key, applied text not null, readable_from text);
-- migration 0001-identity
create table organization (
    id uuid primary key,
    created timestamptz not null,
    updated timestamptz not null,
    name text not null,
    slug text not null unique
  );
create table workspace (
    key bigint primary key,
    id uuid not null unique,
    created timestamptz not null,
    updated timestamptz not null,
    name text not null,
    organization_id uuid not null,
    handle text not null,
    description text not null,
    default_role text,
    unique (organization_id, handle),
    foreign key (organization_id) references organization (id) on delete cascade
  );
create table configuration (
    workspace bigint not null,
    key text not null,
    value text not null,
    primary key (workspace, key),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create table removed_workspace (
    key bigint primary key,
    removed timestamptz not null,
    emptied timestamptz
  );
insert into organization (id, created, updated, name, slug) values ('ffffffff-ffff-ffff-ffff-ffffffffffff',
    cast('1970-01-01T00:00:00.000000Z' as timestamptz), cast('1970-01-01T00:00:00.000000Z' as timestamptz),
    'Removed workspaces', '-');
create table user_account (
    id uuid primary key,
    created timestamptz not null,
    updated timestamptz not null,
    email text not null unique,
    name text,
    password_hash text,
    state text not null,
    proven_at timestamptz
  );
create table membership (
    organization_id uuid not null,
    user_id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    role text not null,
    primary key (organization_id, user_id),
    foreign key (organization_id) references organization (id) on delete cascade,
    foreign key (user_id) references user_account (id) on delete cascade
  );
create index ix_membership_user on membership (user_id);
create table service_account (
    id uuid primary key,
    created timestamptz not null,
    updated timestamptz not null,
    organization_id uuid not null,
    name text not null,
    description text not null,
    role text not null,
    state text not null,
    foreign key (organization_id) references organization (id) on delete cascade
  );
create unique index ix_service_account_name on service_account (organization_id, name) where state <> 'deleted';
create table api_key (
    id uuid primary key,
    created timestamptz not null,
    hash text not null unique,
    descriptor text not null,
    owner_type text not null,
    owner_id uuid not null,
    revoked_at timestamptz,
    last_used_at timestamptz
  );
create index ix_api_key_owner on api_key (owner_id, created);
create table resource_grant (
    resource_type text not null,
    resource_id uuid not null,
    actor_type text not null,
    actor_id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    role text not null,
    primary key (resource_id, actor_id)
  );
create index ix_resource_grant_actor on resource_grant (actor_id);
create table invitation (
    id uuid primary key,
    created timestamptz not null,
    updated timestamptz not null,
    organization_id uuid not null,
    email text not null,
    role text not null,
    token_hash text not null unique,
    state text not null,
    expires_at timestamptz not null,
    invited_by uuid,
    foreign key (organization_id) references organization (id) on delete cascade
  );
create index ix_invitation_organization on invitation (organization_id, created);
create table session (
    id text primary key,
    created timestamptz not null,
    user_id uuid not null,
    csrf_token text not null,
    expires_at timestamptz not null,
    last_seen_at timestamptz not null,
    foreign key (user_id) references user_account (id) on delete cascade
  );
create index ix_session_user on session (user_id);
create table device_authorization (
    id uuid primary key,
    created timestamptz not null,
    device_code_hash text not null unique,
    user_code text not null unique,
    device_name text,
    state text not null,
    user_id uuid,
    expires_at timestamptz not null,
    last_polled_at timestamptz,
    client_id text,
    platform text,
    address text
  );
create table audit_entry (
    id uuid primary key,
    organization_id uuid,
    occurred timestamptz not null,
    actor_type text not null,
    actor_id uuid,
    actor_name text not null,
    action text not null,
    target_type text not null,
    target_id text,
    target_name text,
    address text,
    details text not null
  );
create index ix_audit_entry_organization on audit_entry (organization_id, id);
create table set_up_link (
    token_hash text primary key,
    created timestamptz not null,
    expires_at timestamptz not null
  );
create table user_identity (
    issuer text not null,
    subject text not null,
    user_id uuid not null,
    created timestamptz not null,
    primary key (issuer, subject),
    foreign key (user_id) references user_account (id) on delete cascade
  );
create index ix_user_identity_user on user_identity (user_id);
create table attempt (
    key text primary key,
    full_until bigint not null
  );
create index ix_attempt_full_until on attempt (full_until);
create table known_device (
    token_hash text not null,
    user_id uuid not null,
    created timestamptz not null,
    expires_at timestamptz not null,
    primary key (token_hash, user_id),
    foreign key (user_id) references user_account (id) on delete cascade
  );
create index ix_known_device_user on known_device (user_id);
create index ix_known_device_expires on known_device (expires_at);
create table write_probe (writes bigint not null);
insert into write_probe values (0);
create function workspace_removed() returns trigger language plpgsql as $removed$
      begin
        insert into removed_workspace (key, removed) values (old.key, now());
        return null;
      end $removed$;
create trigger workspace_removed after delete on workspace for each row execute function workspace_removed();
create table access_version (id bigint primary key, version numeric not null);
insert into access_version values (1, 1);
create function count_access_change() returns trigger language plpgsql as $count$
      begin
        if coalesce(current_setting('signalbox.access_counted', true), '') <> txid_current()::text then
          update access_version set version = version + 1;
          perform set_config('signalbox.access_counted', txid_current()::text, true);
        end if;
        return null;
      end $count$;
create constraint trigger api_key_access_changed after update of revoked_at on api_key deferrable initially deferred for each row
        when (old.revoked_at is distinct from new.revoked_at) execute function count_access_change();
create constraint trigger api_key_access_ended after delete on api_key deferrable initially deferred for each row execute function count_access_change();
create constraint trigger user_account_access_changed after update of state on user_account deferrable initially deferred for each row
        when (old.state is distinct from new.state) execute function count_access_change();
create constraint trigger user_account_access_ended after delete on user_account deferrable initially deferred for each row execute function count_access_change();
create constraint trigger service_account_access_changed after update of state, role on service_account deferrable initially deferred for each row
        when (old.state is distinct from new.state or old.role is distinct from new.role) execute function count_access_change();
create constraint trigger service_account_access_ended after delete on service_account deferrable initially deferred for each row execute function count_access_change();
create constraint trigger membership_access_changed after update of role on membership deferrable initially deferred for each row
        when (old.role is distinct from new.role) execute function count_access_change();
create constraint trigger membership_access_ended after delete on membership deferrable initially deferred for each row execute function count_access_change();
create constraint trigger resource_grant_access_changed after update of role on resource_grant deferrable initially deferred for each row
        when (old.role is distinct from new.role) execute function count_access_change();
create constraint trigger resource_grant_access_ended after delete on resource_grant deferrable initially deferred for each row execute function count_access_change();
create constraint trigger resource_grant_access_given after insert on resource_grant deferrable initially deferred for each row execute function count_access_change();
create constraint trigger organization_access_changed after update of slug on organization deferrable initially deferred for each row
        when (old.slug is distinct from new.slug) execute function count_access_change();
create constraint trigger organization_access_ended after delete on organization deferrable initially deferred for each row execute function count_access_change();
create constraint trigger workspace_access_changed after update of default_role, handle, organization_id on workspace deferrable initially deferred for each row
        when (old.default_role is distinct from new.default_role or old.handle is distinct from new.handle or old.organization_id is distinct from new.organization_id) execute function count_access_change();
create constraint trigger workspace_access_ended after delete on workspace deferrable initially deferred for each row execute function count_access_change();
insert into migration values ('0001-identity', '2026-01-01T00:00:00.000Z', null);
-- migration 0002-orchestration
create table flow (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    name text not null,
    tags text not null,
    labels text,
    removed timestamptz,
    primary key (workspace, id),
    unique (workspace, name),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create index ix_flow_removed on flow (workspace, removed) where removed is not null;
create index ix_flow_created on flow (workspace, created);
create index ix_flow_updated on flow (workspace, updated);
create table flow_run (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    name text not null,
    flow_id uuid not null,
    state_id uuid,
    deployment_id uuid,
    deployment_version text,
    work_queue_id uuid,
    work_queue_name text,
    flow_version text,
    parameters text not null,
    idempotency_key text,
    context text not null,
    empirical_policy text not null,
    tags text not null,
    labels text not null,
    parent_task_run_id uuid,
    state_type text,
    state_name text,
    state_timestamp timestamptz,
    run_count bigint not null,
    expected_start_time timestamptz,
    next_scheduled_start_time timestamptz,
    start_time timestamptz,
    end_time timestamptz,
    total_run_time double precision not null,
    auto_scheduled boolean not null,
    infrastructure_document_id uuid,
    infrastructure_pid text,
    created_by text,
    job_variables text,
    primary key (workspace, id),
    foreign key (workspace, flow_id) references flow (workspace, id) on delete cascade
  );
create unique index ix_flow_run_idempotency on flow_run (workspace, flow_id, idempotency_key) where idempotency_key is not null;
create index ix_flow_run_next on flow_run (workspace, next_scheduled_start_time) where next_scheduled_start_time is not null;
create index ix_flow_run_end on flow_run (workspace, end_time nulls first, id);
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
    workspace bigint not null,
    tag text not null,
    flow_run_id uuid not null,
    primary key (workspace, flow_run_id, tag),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  );
create index ix_flow_run_tag_tag on flow_run_tag (workspace, tag, flow_run_id);
create table flow_run_state (
    workspace bigint not null,
    id uuid not null,
    flow_run_id uuid not null,
    type text not null,
    name text not null,
    timestamp timestamptz not null,
    message text,
    data text,
    state_details text not null,
    primary key (workspace, id),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  );
create unique index ix_flow_run_state_history on flow_run_state (workspace, flow_run_id, timestamp);
create index ix_flow_run_state_observed on flow_run_state (workspace, type, name, timestamp);
create table flow_run_input (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    flow_run_id uuid not null,
    key text not null,
    value text not null,
    sender text,
    primary key (workspace, id),
    unique (workspace, flow_run_id, key),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  );
create table task_run (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    name text not null,
    flow_run_id uuid,
    task_key text not null,
    dynamic_key text not null,
    cache_key text,
    cache_expiration timestamptz,
    task_version text,
    empirical_policy text not null,
    tags text not null,
    labels text,
    task_inputs text not null,
    state_id uuid,
    state_type text,
    state_name text,
    state_timestamp timestamptz,
    run_count bigint not null,
    flow_run_run_count bigint not null,
    expected_start_time timestamptz,
    next_scheduled_start_time timestamptz,
    start_time timestamptz,
    end_time timestamptz,
    total_run_time double precision not null,
    primary key (workspace, id),
    foreign key (workspace) references workspace (key) on delete cascade,
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  );
create unique index ix_task_run_natural on task_run (workspace, flow_run_id, task_key, dynamic_key) where flow_run_id is not null;
create unique index ix_task_run_natural_background on task_run (workspace, task_key, dynamic_key) where flow_run_id is null;
create index ix_task_run_next on task_run (workspace, next_scheduled_start_time) where next_scheduled_start_time is not null;
create index ix_task_run_end on task_run (workspace, end_time nulls first);
create index ix_task_run_start on task_run (workspace, start_time);
create index ix_task_run_name on task_run (workspace, name);
create table task_run_tag (
    workspace bigint not null,
    tag text not null,
    task_run_id uuid not null,
    primary key (workspace, task_run_id, tag),
    foreign key (workspace, task_run_id) references task_run (workspace, id) on delete cascade
  );
create index ix_task_run_tag_tag on task_run_tag (workspace, tag, task_run_id);
create table task_run_state (
    workspace bigint not null,
    id uuid not null,
    task_run_id uuid not null,
    type text not null,
    name text not null,
    timestamp timestamptz not null,
    message text,
    data text,
    state_details text not null,
    primary key (workspace, id),
    foreign key (workspace, task_run_id) references task_run (workspace, id) on delete cascade
  );
create index ix_task_run_state_history on task_run_state (workspace, task_run_id, timestamp);
create index ix_task_run_state_observed on task_run_state (workspace, type, name, timestamp);
create table task_run_state_cache (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    cache_key text not null,
    cache_expiration timestamptz,
    task_run_state_id uuid not null,
    primary key (workspace, id)
  );
create index ix_task_run_state_cache_key on task_run_state_cache (workspace, cache_key, created);
create table queued_task_run (
    workspace bigint not null,
    task_run_id uuid not null,
    task_key text not null,
    is_retry boolean not null,
    position uuid not null,
    claim uuid,
    claimed_until timestamptz,
    primary key (workspace, task_run_id),
    foreign key (workspace, task_run_id) references task_run (workspace, id) on delete cascade
  );
create index ix_queued_task_run_turn on queued_task_run (workspace, task_key, is_retry desc, position);
create table task_worker (
    workspace bigint not null,
    id uuid not null,
    identifier text not null,
    task_keys text not null,
    timestamp timestamptz not null,
    online_until timestamptz not null,
    primary key (workspace, id),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create table flow_run_pause (
    workspace bigint not null,
    flow_run_id uuid not null,
    expires_at timestamptz not null,
    primary key (workspace, flow_run_id),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  );
create index ix_flow_run_pause_expires_at on flow_run_pause (workspace, expires_at);
create table flow_run_cancellation (
    workspace bigint not null,
    flow_run_id uuid not null,
    cancelled_at timestamptz not null,
    due timestamptz not null,
    primary key (workspace, flow_run_id),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  );
create index ix_flow_run_cancellation_due on flow_run_cancellation (workspace, due);
create table flow_run_heartbeat (
    workspace bigint not null,
    flow_run_id uuid not null,
    last_occurred timestamptz not null,
    received timestamptz not null,
    interval_seconds double precision,
    silent_at timestamptz not null,
    primary key (workspace, flow_run_id),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  );
create index ix_flow_run_heartbeat_silent_at on flow_run_heartbeat (workspace, silent_at);
create table work_pool (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    name text not null,
    description text,
    type text not null,
    base_job_template text not null,
    is_paused boolean not null,
    default_queue_id uuid,
    concurrency_limit bigint,
    storage_configuration text not null,
    status text not null,
    last_status_event_id uuid,
    primary key (workspace, id),
    unique (workspace, name),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create index ix_work_pool_ready on work_pool (workspace, id) where status = 'READY';
create table work_queue (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    name text not null,
    description text not null,
    is_paused boolean not null,
    concurrency_limit bigint,
    priority bigint not null,
    last_polled timestamptz,
    status text not null,
    work_pool_id uuid not null,
    filter text,
    primary key (workspace, id),
    unique (workspace, work_pool_id, name),
    foreign key (workspace, work_pool_id) references work_pool (workspace, id) on delete cascade
  );
create index ix_work_queue_ready on work_queue (workspace, id) where status = 'READY';
create table worker (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    name text not null,
    work_pool_id uuid not null,
    last_heartbeat_time timestamptz not null,
    heartbeat_interval_seconds bigint,
    online_until timestamptz not null,
    primary key (workspace, id),
    unique (workspace, work_pool_id, name),
    foreign key (workspace, work_pool_id) references work_pool (workspace, id) on delete cascade
  );
create index ix_worker_online_until on worker (workspace, work_pool_id, online_until);
create table worker_cleanup (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    work_pool_id uuid not null,
    work_queue_id uuid,
    kind text not null,
    target text not null,
    deliveries bigint not null,
    reservation_token text,
    lease_expires_at timestamptz,
    primary key (workspace, id),
    foreign key (workspace, work_pool_id) references work_pool (workspace, id) on delete cascade
  );
create index ix_worker_cleanup_pool on worker_cleanup (workspace, work_pool_id, created);
create table deployment (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    created_by text,
    updated_by text,
    name text not null,
    version text,
    description text,
    flow_id uuid not null,
    paused boolean not null,
    concurrency_limit_id uuid,
    concurrency_options text,
    job_variables text not null,
    parameters text not null,
    pull_steps text,
    tags text not null,
    labels text,
    last_polled timestamptz,
    parameter_openapi_schema text,
    path text,
    entrypoint text,
    storage_document_id uuid,
    infrastructure_document_id uuid,
    work_queue_id uuid,
    work_queue_name text,
    status text not null,
    enforce_parameter_schema boolean not null,
    schedule_due timestamptz,
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
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    deployment_id uuid not null,
    schedule text not null,
    active boolean not null,
    max_scheduled_runs bigint,
    parameters text not null,
    slug text,
    primary key (workspace, id),
    foreign key (workspace, deployment_id) references deployment (workspace, id) on delete cascade
  );
create index ix_deployment_schedule_deployment on deployment_schedule (workspace, deployment_id, updated);
create unique index ix_deployment_schedule_slug on deployment_schedule (workspace, deployment_id, slug) where slug is not null;
create table backfill (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    deployment_id uuid not null,
    name text not null,
    status text not null,
    schedule text not null,
    start_time timestamptz not null,
    end_time timestamptz not null,
    parameters text not null,
    date_parameter text,
    max_unfinished bigint not null,
    total bigint not null,
    problem text,
    ended timestamptz,
    created_by text,
    primary key (workspace, id),
    foreign key (workspace, deployment_id) references deployment (workspace, id) on delete cascade
  );
create index ix_backfill_deployment on backfill (workspace, deployment_id, created);
create index ix_backfill_created on backfill (workspace, created, id);
create index ix_backfill_working on backfill (workspace, id) where status in ('RUNNING', 'CANCELLING');
create table backfill_date (
    workspace bigint not null,
    backfill_id uuid not null,
    position bigint not null,
    date timestamptz not null,
    flow_run_id uuid,
    primary key (workspace, backfill_id, position),
    foreign key (workspace, backfill_id) references backfill (workspace, id) on delete cascade
  );
create index ix_backfill_date_waiting on backfill_date (workspace, backfill_id, position) where flow_run_id is null;
create table concurrency_limit (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    name text not null,
    "limit" bigint not null,
    active boolean not null,
    denied_slots bigint not null,
    slot_decay_per_second double precision not null,
    avg_slot_occupancy_seconds double precision not null,
    unleased_slots bigint not null default 0,
    primary key (workspace, id),
    unique (workspace, name),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create table concurrency_lease (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    expires_at timestamptz not null,
    holder_type text,
    holder_id uuid,
    flow_run_id uuid,
    task_run_id uuid,
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
    workspace bigint not null,
    lease_id uuid not null,
    concurrency_limit_id uuid not null,
    slots bigint not null,
    primary key (workspace, lease_id, concurrency_limit_id),
    foreign key (workspace, lease_id) references concurrency_lease (workspace, id) on delete cascade,
    foreign key (workspace, concurrency_limit_id) references concurrency_limit (workspace, id) on delete cascade
  );
create index ix_concurrency_slot_limit on concurrency_slot (workspace, concurrency_limit_id);
create table log (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    name text not null,
    level bigint not null,
    message text not null,
    timestamp timestamptz not null,
    flow_run_id uuid,
    task_run_id uuid,
    primary key (workspace, id)
  );
create index ix_log_timestamp on log (workspace, timestamp);
create index ix_log_flow_run on log (workspace, flow_run_id, timestamp) where flow_run_id is not null;
create index ix_log_task_run on log (workspace, task_run_id, timestamp) where task_run_id is not null;
create table artifact (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    key text,
    type text,
    description text,
    data text,
    metadata_ text,
    flow_run_id uuid,
    task_run_id uuid,
    primary key (workspace, id)
  );
create index ix_artifact_key on artifact (workspace, key, created) where key is not null;
create index ix_artifact_created on artifact (workspace, created);
create index ix_artifact_updated on artifact (workspace, updated);
create index ix_artifact_flow_run on artifact (workspace, flow_run_id) where flow_run_id is not null;
create index ix_artifact_task_run on artifact (workspace, task_run_id) where task_run_id is not null;
create table artifact_collection (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    key text not null,
    latest_id uuid not null,
    type text,
    description text,
    data text,
    metadata_ text,
    flow_run_id uuid,
    task_run_id uuid,
    primary key (workspace, id),
    unique (workspace, key)
  );
create index ix_artifact_collection_latest on artifact_collection (workspace, latest_id);
create table variable (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    name text not null,
    value text not null,
    tags text not null,
    primary key (workspace, id),
    unique (workspace, name)
  );
create table saved_search (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    name text not null,
    filters text not null,
    primary key (workspace, id),
    unique (workspace, name)
  );
create table block_type (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    name text not null,
    slug text not null,
    logo_url text,
    documentation_url text,
    description text,
    code_example text,
    is_protected boolean not null,
    primary key (workspace, id),
    unique (workspace, slug),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create table block_schema (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    checksum text not null,
    fields text not null,
    capabilities text not null,
    version text not null,
    block_type_id uuid not null,
    primary key (workspace, id),
    unique (workspace, checksum, version),
    foreign key (workspace, block_type_id) references block_type (workspace, id) on delete cascade
  );
create index ix_block_schema_block_type on block_schema (workspace, block_type_id);
create index ix_block_schema_created on block_schema (workspace, created);
create table block_schema_reference (
    workspace bigint not null,
    parent_block_schema_id uuid not null,
    name text not null,
    position bigint not null,
    reference_block_schema_id uuid not null,
    primary key (workspace, parent_block_schema_id, name, position),
    foreign key (workspace, parent_block_schema_id) references block_schema (workspace, id) on delete cascade,
    foreign key (workspace, reference_block_schema_id) references block_schema (workspace, id) on delete cascade
  );
create index ix_block_schema_reference_to on block_schema_reference (workspace, reference_block_schema_id);
create table block_document (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    name text not null,
    encrypted_data text not null,
    is_anonymous boolean not null,
    block_type_id uuid not null,
    block_schema_id uuid not null,
    primary key (workspace, id),
    unique (workspace, block_type_id, name),
    foreign key (workspace, block_type_id) references block_type (workspace, id) on delete cascade,
    foreign key (workspace, block_schema_id) references block_schema (workspace, id) on delete cascade
  );
create index ix_block_document_name on block_document (workspace, name);
create index ix_block_document_block_schema on block_document (workspace, block_schema_id);
create table block_document_reference (
    workspace bigint not null,
    parent_block_document_id uuid not null,
    name text not null,
    reference_block_document_id uuid not null,
    primary key (workspace, parent_block_document_id, name),
    foreign key (workspace, parent_block_document_id) references block_document (workspace, id) on delete cascade,
    foreign key (workspace, reference_block_document_id) references block_document (workspace, id) on delete cascade
  );
create index ix_block_document_reference_to on block_document_reference (workspace, reference_block_document_id);
create table webhook (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    name text not null,
    description text not null,
    template text not null,
    enabled boolean not null,
    slug_hash text not null,
    slug_hint text not null,
    signature text not null,
    encrypted_signature_secret text,
    primary key (workspace, id),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create unique index ix_webhook_slug on webhook (slug_hash);
create index ix_webhook_name on webhook (workspace, name, id);
create table webhook_request (
    workspace bigint not null,
    id uuid not null,
    webhook_id uuid not null,
    received timestamptz not null,
    refused boolean not null,
    status bigint not null,
    method text not null,
    body_bytes bigint not null,
    reason text,
    event_id uuid,
    event text,
    primary key (workspace, id),
    foreign key (workspace, webhook_id) references webhook (workspace, id) on delete cascade
  );
create index ix_webhook_request_webhook on webhook_request (workspace, webhook_id, refused, id);
create table flow_run_count (workspace bigint not null, state_type text not null, count bigint not null);
create index ix_flow_run_count on flow_run_count (workspace, state_type);
create function fold_flow_run_count() returns void language sql as $fold$
        with folded as (
          delete from flow_run_count where ctid in (
            select ctid from flow_run_count limit 10000 for update skip locked
          ) returning workspace, state_type, count
        )
        insert into flow_run_count select workspace, state_type, sum(count) from folded
          group by workspace, state_type having sum(count) <> 0
      $fold$;
create function count_flow_runs() returns trigger language plpgsql as $count$
      begin
        if tg_op <> 'DELETE' then
          insert into flow_run_count
            select workspace, coalesce(state_type, ''), count(*) from new_rows group by 1, 2;
        end if;
        if tg_op <> 'INSERT' then
          insert into flow_run_count
            select workspace, coalesce(state_type, ''), -count(*) from old_rows group by 1, 2;
        end if;
        if random() < 0.002 then perform fold_flow_run_count(); end if;
        return null;
      end $count$;
create trigger flow_run_counted_in after insert on flow_run
        referencing new table as new_rows for each statement execute function count_flow_runs();
create trigger flow_run_recounted after update on flow_run
        referencing old table as old_rows new table as new_rows for each statement execute function count_flow_runs();
create trigger flow_run_counted_out after delete on flow_run
        referencing old table as old_rows for each statement execute function count_flow_runs();
create index ix_flow_run_active on flow_run (workspace, work_queue_id)
      where state_type in ('PENDING', 'RUNNING', 'CANCELLING');
create index ix_flow_run_start on flow_run (workspace, (coalesce(start_time, expected_start_time)) nulls first, id)
    include (state_type, state_name, start_time, expected_start_time);
create index ix_flow_run_flow_start on flow_run (workspace, flow_id, (coalesce(start_time, expected_start_time)) nulls first, id)
    include (state_type, state_name, start_time, expected_start_time);
create index ix_flow_run_deployment_start on flow_run (workspace, deployment_id, (coalesce(start_time, expected_start_time)) nulls first, id)
    include (state_type, state_name, start_time, expected_start_time) where deployment_id is not null;
create index ix_flow_run_state on flow_run (workspace, state_type, expected_start_time)
  include (state_name, start_time);
create index ix_flow_run_history on flow_run (workspace, expected_start_time nulls first, state_type, state_name)
  include (start_time, state_timestamp, total_run_time, id);
create index ix_task_run_state on task_run (workspace, state_type, expected_start_time)
  include (state_name, start_time);
create index ix_task_run_history on task_run (workspace, expected_start_time nulls first, state_type, state_name)
  include (start_time, state_timestamp, total_run_time, id);
create statistics st_flow_run_name on (lower(name)) from flow_run;
create statistics st_task_run_name on (lower(name)) from task_run;
create table flow_run_sum (
      workspace bigint not null,
      placed_by text not null,
      span_seconds bigint not null,
      begins timestamptz not null,
      state_type text not null,
      state_name text not null,
      count bigint not null,
      run_microseconds numeric not null,
      lateness_microseconds numeric not null
    ) with (fillfactor = 70);
create index ix_flow_run_sum on flow_run_sum (workspace, placed_by, span_seconds, begins, state_type, state_name);
create function add_to_flow_run_sum(given flow_run_sum) returns void language plpgsql as $add$
      declare place tid;
      begin
        select ctid into place from flow_run_sum
          where workspace = given.workspace and placed_by = given.placed_by and span_seconds = given.span_seconds
            and begins = given.begins
            and state_type = given.state_type and state_name = given.state_name
          limit 1 for update skip locked;
        if not found then
          insert into flow_run_sum select given.*;
          return;
        end if;
        update flow_run_sum set count = count + given.count,
            run_microseconds = run_microseconds + given.run_microseconds,
            lateness_microseconds = lateness_microseconds + given.lateness_microseconds
          where ctid = place;
        -- What is taken out may have been added to another row: they become one again, or none.
        if given.count < 0 then
          with taken as (
            delete from flow_run_sum where ctid in (
              select ctid from flow_run_sum
                where workspace = given.workspace and placed_by = given.placed_by and span_seconds = given.span_seconds
            and begins = given.begins
                  and state_type = given.state_type and state_name = given.state_name
                for update skip locked)
            returning *)
          insert into flow_run_sum
            select workspace, placed_by, span_seconds, begins, state_type, state_name, sum(count), sum(run_microseconds),
              sum(lateness_microseconds)
            from taken group by 1, 2, 3, 4, 5, 6
            having sum(count) <> 0 or sum(run_microseconds) <> 0 or sum(lateness_microseconds) <> 0;
        end if;
      end $add$;
create function sum_flow_run() returns trigger language plpgsql as $sum$
      declare
        run flow_run;
        sign bigint := tg_argv[0];
        place record;
        run_time bigint;
        lateness bigint;
      begin
        if sign < 0 then run := old; else run := new; end if;
        run_time := sign * round(run.total_run_time * 1000000)::bigint;
        lateness := sign * (case when run.start_time > run.expected_start_time
    then extract(epoch from run.start_time - run.expected_start_time) * 1000000 else 0 end)::bigint;
        for place in select * from (select placed_by, span,
        date_bin(make_interval(secs => span), time, timestamptz '0001-01-01 00:00:00+00') as begins
      from (values ('expected_start', run.expected_start_time), ('start', coalesce(run.start_time, run.expected_start_time)))
        placed (placed_by, time)
      cross join unnest(array[300, 3600]) span where time is not null) places loop
          perform add_to_flow_run_sum(row(run.workspace, place.placed_by, place.span, place.begins, run.state_type,
            run.state_name, sign, run_time, lateness)::flow_run_sum);
        end loop;
        return null;
      end $sum$;
create function take_deleted_flow_runs() returns trigger language plpgsql as $take$
      declare taken flow_run_sum;
      begin
        for taken in
          select workspace, placed_by, span, begins, state_type, state_name,
            -count(*), -sum(round(run.total_run_time * 1000000)::bigint), -sum((case when run.start_time > run.expected_start_time
    then extract(epoch from run.start_time - run.expected_start_time) * 1000000 else 0 end)::bigint)
          from old_rows run cross join lateral (select placed_by, span,
        date_bin(make_interval(secs => span), time, timestamptz '0001-01-01 00:00:00+00') as begins
      from (values ('expected_start', run.expected_start_time), ('start', coalesce(run.start_time, run.expected_start_time)))
        placed (placed_by, time)
      cross join unnest(array[300, 3600]) span where time is not null) places where run.state_type in ('COMPLETED', 'FAILED', 'CRASHED', 'CANCELLED')
    and coalesce(run.start_time, run.expected_start_time) is not null group by 1, 2, 3, 4, 5, 6
        loop
          perform add_to_flow_run_sum(taken);
        end loop;
        return null;
      end $take$;
create trigger flow_run_summed_at_insert after insert on flow_run for each row
      when (new.state_type in ('COMPLETED', 'FAILED', 'CRASHED', 'CANCELLED')
    and coalesce(new.start_time, new.expected_start_time) is not null) execute function sum_flow_run('1');
create trigger flow_run_taken_from_sum after update of state_type, state_name, expected_start_time, start_time, total_run_time on flow_run for each row
      when (old.state_type in ('COMPLETED', 'FAILED', 'CRASHED', 'CANCELLED')
    and coalesce(old.start_time, old.expected_start_time) is not null) execute function sum_flow_run('-1');
create trigger flow_run_summed after update of state_type, state_name, expected_start_time, start_time, total_run_time on flow_run for each row
      when (new.state_type in ('COMPLETED', 'FAILED', 'CRASHED', 'CANCELLED')
    and coalesce(new.start_time, new.expected_start_time) is not null) execute function sum_flow_run('1');
create trigger flow_run_taken_at_delete after delete on flow_run
      referencing old table as old_rows for each statement execute function take_deleted_flow_runs();
create function take_along_with_block_document() returns trigger language plpgsql as $take$
      begin 
  delete from concurrency_limit where workspace = old.workspace and name in
    (select 'deployment:' || id from deployment where workspace = old.workspace
      and (infrastructure_document_id = old.id or storage_document_id = old.id));
  delete from deployment
    where workspace = old.workspace and (infrastructure_document_id = old.id or storage_document_id = old.id);
  delete from flow_run where workspace = old.workspace and infrastructure_document_id = old.id; return null; end $take$;
create trigger block_document_takes_along after delete on block_document
        for each row execute function take_along_with_block_document();
insert into migration values ('0002-orchestration', '2026-01-01T00:00:00.000Z', null);
-- migration 0003-events
create table event (
    workspace bigint not null,
    id uuid not null,
    occurred timestamptz not null,
    received timestamptz not null,
    event text not null,
    resource_id text not null,
    resource text not null,
    related text not null,
    payload text not null,
    follows uuid,
    primary key (workspace, id)
  );
create index ix_event_occurred on event (workspace, occurred, id);
create index ix_event_resource_occurred on event (workspace, resource_id, occurred, id);
create index ix_event_name_occurred on event (workspace, event, occurred, id);
create table event_resource (
  workspace bigint not null,
  resource_id text not null,
  role text not null,
  occurred timestamptz not null,
  event_id uuid not null);
create index ix_event_resource_lookup on event_resource (workspace, resource_id, occurred, event_id, role);
create function event_resource_goes() returns trigger language plpgsql as $goes$
      begin
        delete from event_resource where workspace = old.workspace and occurred = old.occurred and event_id = old.id
          and resource_id in (select coalesce(resource ->> 'prefect.resource.id', '')
            from json_array_elements(old.related::json) resource);
        return null;
      end $goes$;
create trigger event_resource_goes after delete on event for each row execute function event_resource_goes();
create table automation_event (position bigint generated always as identity primary key, 
  workspace bigint not null,
  event_id uuid not null,
  follows uuid,
  waits_until timestamptz);
create table automation (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    updated timestamptz not null,
    name text not null,
    description text not null,
    tags text not null,
    enabled boolean not null,
    "trigger" text not null,
    actions text not null,
    actions_on_trigger text not null,
    actions_on_resolve text not null,
    primary key (workspace, id),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create index ix_automation_enabled on automation (workspace, id) where enabled;
create index ix_automation_name on automation (workspace, name);
create table automation_related_resource (
    workspace bigint not null,
    automation_id uuid not null,
    resource_id text not null,
    automation_owned_by_resource boolean not null,
    primary key (workspace, automation_id, resource_id),
    foreign key (workspace, automation_id) references automation (workspace, id) on delete cascade
  );
create index ix_automation_related_resource on automation_related_resource (workspace, resource_id);
create table automation_progress (
    workspace bigint primary key,
    version bigint not null,
    last_occurred timestamptz,
    last_seen timestamptz,
    foreign key (workspace) references workspace (key) on delete cascade
  );
create table automation_bucket (
    workspace bigint not null,
    trigger_id uuid not null,
    key_digest text not null,
    automation_id uuid not null,
    bucketing_key text not null,
    "start" timestamptz not null,
    "end" timestamptz not null,
    count bigint not null,
    last_event_id uuid,
    primary key (workspace, trigger_id, key_digest),
    foreign key (workspace, automation_id) references automation (workspace, id) on delete cascade
  );
create index ix_automation_bucket_automation on automation_bucket (workspace, automation_id);
create index ix_automation_bucket_end on automation_bucket (workspace, "end");
create table automation_child_firing (
    workspace bigint not null,
    parent_trigger_id uuid not null,
    child_trigger_id uuid not null,
    automation_id uuid not null,
    fired timestamptz not null,
    firing text not null,
    primary key (workspace, parent_trigger_id, child_trigger_id),
    foreign key (workspace, automation_id) references automation (workspace, id) on delete cascade
  );
create index ix_automation_child_firing_automation on automation_child_firing (workspace, automation_id);
create index ix_automation_event_position on automation_event (workspace, position) where waits_until is null;
create index ix_automation_event_waiting on automation_event (workspace, waits_until) where waits_until is not null;
create index ix_automation_event_follows on automation_event (workspace, follows) where waits_until is not null;
create index ix_automation_event_event on automation_event (workspace, event_id);
create table automation_action (
    workspace bigint not null,
    id uuid not null,
    created timestamptz not null,
    automation_id uuid not null,
    firing text not null,
    triggering_event text,
    action text not null,
    action_index bigint not null,
    state text not null,
    started timestamptz,
    holder text,
    primary key (workspace, id),
    foreign key (workspace) references workspace (key) on delete cascade
  );
create index ix_automation_action_state on automation_action (workspace, state, created, id);
insert into migration values ('0003-events', '2026-01-01T00:00:00.000Z', null);
-- migration 0004-gateway
create table mcp_server (
    id uuid primary key,
    created timestamptz not null,
    updated timestamptz not null,
    organization_id uuid not null,
    slug text not null,
    name text not null,
    description text not null,
    kind text not null,
    visibility text not null,
    default_role text,
    authentication text not null,
    policy text not null,
    policy_version bigint not null,
    connection text not null,
    encrypted_credential text,
    connection_version bigint not null,
    manifest text,
    manifest_version bigint not null,
    manifest_read_at timestamptz,
    manifest_error text,
    manifest_due timestamptz,
    stopped_at timestamptz,
    denied_as text not null default 'forbidden',
    workspace_id uuid,
    personal_credential text,
    encrypted_client_secret text,
    limits text,
    approved_tools text,
    foreign key (organization_id) references organization (id) on delete cascade
  );
create unique index ix_mcp_server_slug on mcp_server (organization_id, slug);
create unique index ix_mcp_server_workspace on mcp_server (workspace_id) where workspace_id is not null;
create index ix_mcp_server_manifest_due on mcp_server (manifest_due) where manifest_due is not null;
create table mcp_request (
    server_id uuid not null,
    id uuid not null,
    occurred timestamptz not null,
    actor_type text,
    actor_id uuid,
    actor_name text,
    method text,
    capability text,
    status bigint not null,
    error_code bigint,
    decision text not null,
    reason text not null,
    duration_microseconds bigint not null,
    request_bytes bigint not null,
    response_bytes bigint not null,
    session uuid,
    client_name text,
    client_version text,
    protocol_version text,
    primary key (server_id, id)
  );
create table mcp_session (
    server_id uuid not null,
    id uuid not null,
    actor_type text,
    actor_id uuid,
    actor_name text,
    client_name text,
    client_version text,
    protocol_version text,
    first_activity timestamptz not null,
    last_activity timestamptz not null,
    requests bigint not null,
    tool_calls bigint not null,
    errors bigint not null,
    primary key (server_id, id)
  );
create table mcp_quota (
    counter text primary key,
    server_id uuid not null,
    taken text not null,
    updated timestamptz not null,
    foreign key (server_id) references mcp_server (id) on delete cascade
  );
create index ix_mcp_quota_server on mcp_quota (server_id);
create index ix_mcp_quota_updated on mcp_quota (updated);
create table mcp_quota_place (
    counter text not null,
    holder uuid not null,
    server_id uuid not null,
    places bigint not null,
    expires_at timestamptz not null,
    primary key (counter, holder),
    foreign key (server_id) references mcp_server (id) on delete cascade
  );
create index ix_mcp_quota_place_server on mcp_quota_place (server_id);
create index ix_mcp_quota_place_expires on mcp_quota_place (expires_at);
create table access_request (
    id uuid primary key,
    created timestamptz not null,
    updated timestamptz not null,
    organization_id uuid not null,
    server_id uuid not null,
    user_id uuid not null,
    reason text not null,
    state text not null,
    role text,
    answer text,
    decided_at timestamptz,
    decided_by text,
    foreign key (organization_id, user_id) references membership (organization_id, user_id) on delete cascade,
    foreign key (server_id) references mcp_server (id) on delete cascade
  );
create unique index ix_access_request_server on access_request (server_id, user_id);
create index ix_access_request_user on access_request (organization_id, user_id, id);
create index ix_access_request_state on access_request (organization_id, state, id);
create constraint trigger mcp_server_access_changed after update of policy_version, default_role, visibility, authentication, slug, organization_id on mcp_server deferrable initially deferred for each row
        when (old.policy_version is distinct from new.policy_version or old.default_role is distinct from new.default_role or old.visibility is distinct from new.visibility or old.authentication is distinct from new.authentication or old.slug is distinct from new.slug or old.organization_id is distinct from new.organization_id) execute function count_access_change();
create constraint trigger mcp_server_access_ended after delete on mcp_server deferrable initially deferred for each row execute function count_access_change();
insert into migration values ('0004-gateway', '2026-01-01T00:00:00.000Z', null);
-- migration 0005-hosting
create table server_variable (
      id uuid primary key,
      created timestamptz not null,
      updated timestamptz not null,
      server_id uuid not null,
      name text not null,
      encrypted_value text not null,
      sensitive boolean not null,
      description text not null,
      foreign key (server_id) references mcp_server (id) on delete cascade
    );
create unique index ix_server_variable_name on server_variable (server_id, name);
create table server_upload (
      id uuid primary key,
      created timestamptz not null,
      server_id uuid not null,
      size_bytes bigint not null,
      checksum_sha256 text not null,
      stored boolean not null,
      foreign key (server_id) references mcp_server (id) on delete cascade
    );
create index ix_server_upload_server on server_upload (server_id, id);
create index ix_server_upload_created on server_upload (created);
create table server_build (
      id uuid primary key,
      created timestamptz not null,
      server_id uuid not null,
      actor_name text not null,
      state text not null,
      source text not null,
      entrypoint text,
      dependency_path text,
      promote boolean not null,
      encrypted_environment text,
      claimed_until timestamptz,
      cancel_requested boolean not null,
      started timestamptz,
      finished timestamptz,
      error text,
      launch text,
      resolved text,
      foreign key (server_id) references mcp_server (id) on delete cascade
    );
create index ix_server_build_server on server_build (server_id, id);
create index ix_server_build_state on server_build (state, id);
create table server_deployment (
      id uuid primary key,
      created timestamptz not null,
      server_id uuid not null,
      build_id uuid not null,
      actor_name text not null,
      status text not null,
      ended timestamptz,
      foreign key (server_id) references mcp_server (id) on delete cascade,
      foreign key (build_id) references server_build (id) on delete cascade
    );
create index ix_server_deployment_server on server_deployment (server_id, id);
create index ix_server_deployment_build on server_deployment (build_id);
create unique index ix_server_deployment_live on server_deployment (server_id) where status = 'live';
create table server_build_log (
      id uuid primary key,
      build_id uuid not null,
      occurred timestamptz not null,
      stream text not null,
      message text not null,
      foreign key (build_id) references server_build (id) on delete cascade
    );
create index ix_server_build_log_build on server_build_log (build_id, id);
create table server_process_log (
      id uuid primary key,
      server_id uuid not null,
      occurred timestamptz not null,
      stream text not null,
      message text not null,
      foreign key (server_id) references mcp_server (id) on delete cascade
    );
create index ix_server_process_log_server on server_process_log (server_id, id);
create index ix_server_process_log_occurred on server_process_log (occurred);
insert into migration values ('0005-hosting', '2026-01-01T00:00:00.000Z', null);
-- migration 0006-oauth
create table oauth_client (
    id text primary key,
    created timestamptz not null,
    metadata text not null,
    used_at timestamptz
  );
create index ix_oauth_client_created on oauth_client (created);
create table oauth_connection (
    id uuid primary key,
    created timestamptz not null,
    user_id uuid not null,
    organization_id uuid not null,
    server_id uuid not null,
    client_id text not null,
    client_name text not null,
    redirect_uri text not null,
    resource text not null,
    scope text not null,
    expires_at timestamptz not null,
    last_used_at timestamptz,
    foreign key (organization_id, user_id) references membership (organization_id, user_id) on delete cascade,
    foreign key (server_id) references mcp_server (id) on delete cascade
  );
create index ix_oauth_connection_user on oauth_connection (user_id, id);
create index ix_oauth_connection_membership on oauth_connection (organization_id, user_id);
create index ix_oauth_connection_server on oauth_connection (server_id);
create index ix_oauth_connection_client on oauth_connection (client_id);
create table oauth_token (
    hash text primary key,
    kind text not null,
    connection_id uuid not null,
    created timestamptz not null,
    scope text not null,
    payload text not null,
    expires_at timestamptz not null,
    consumed_at timestamptz,
    foreign key (connection_id) references oauth_connection (id) on delete cascade
  );
create index ix_oauth_token_connection on oauth_token (connection_id);
create index ix_oauth_token_expires on oauth_token (expires_at);
create table oauth_flow (
    hash text primary key,
    kind text not null,
    payload text not null,
    expires_at timestamptz not null
  );
create index ix_oauth_flow_expires on oauth_flow (expires_at);
create constraint trigger oauth_connection_access_changed after update of scope, expires_at on oauth_connection deferrable initially deferred for each row
        when (old.scope is distinct from new.scope or old.expires_at is distinct from new.expires_at) execute function count_access_change();
create constraint trigger oauth_connection_access_ended after delete on oauth_connection deferrable initially deferred for each row execute function count_access_change();
insert into migration values ('0006-oauth', '2026-01-01T00:00:00.000Z', null);
-- migration 0007-remix
alter table mcp_request add column source_id uuid;
insert into migration values ('0007-remix', '2026-01-01T00:00:00.000Z', '0006-oauth');
-- migration 0008-ended-sessions
create constraint trigger session_access_changed after update of expires_at on session deferrable initially deferred for each row
        when (old.expires_at is distinct from new.expires_at) execute function count_access_change();
create constraint trigger session_access_ended after delete on session deferrable initially deferred for each row execute function count_access_change();
insert into migration values ('0008-ended-sessions', '2026-01-01T00:00:00.000Z', '0007-remix');
-- migration 0009-upstream-credentials
create table upstream_client (
    server_id uuid primary key,
    created timestamptz not null,
    redirect_uri text not null,
    encrypted_client text not null,
    foreign key (server_id) references mcp_server (id) on delete cascade
  );
create table upstream_credential (
    id uuid primary key,
    created timestamptz not null,
    updated timestamptz not null,
    organization_id uuid not null,
    user_id uuid not null,
    server_id uuid not null,
    kind text not null,
    encrypted_secret text not null,
    scope text,
    expires_at timestamptz,
    problem text,
    version bigint not null,
    renewing_until timestamptz,
    foreign key (organization_id, user_id) references membership (organization_id, user_id) on delete cascade,
    foreign key (server_id) references mcp_server (id) on delete cascade
  );
create unique index ix_upstream_credential_server on upstream_credential (server_id, user_id);
create index ix_upstream_credential_user on upstream_credential (user_id, id);
create index ix_upstream_credential_membership on upstream_credential (organization_id, user_id);
create constraint trigger upstream_credential_access_changed after update of server_id, user_id on upstream_credential deferrable initially deferred for each row
        when (old.server_id is distinct from new.server_id or old.user_id is distinct from new.user_id) execute function count_access_change();
create constraint trigger upstream_credential_access_ended after delete on upstream_credential deferrable initially deferred for each row execute function count_access_change();
insert into migration values ('0009-upstream-credentials', '2026-01-01T00:00:00.000Z', '0008-ended-sessions');
-- migration 0010-ended-mcp-sessions
create table mcp_ended_session (id uuid primary key, expires_at timestamptz not null);
create index ix_mcp_ended_session_expires on mcp_ended_session (expires_at);
insert into migration values ('0010-ended-mcp-sessions', '2026-01-01T00:00:00.000Z', '0009-upstream-credentials');
