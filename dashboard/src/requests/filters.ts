/** The address's form of the filters of the log. */
export interface RequestsSearch {
  readonly server?: string | undefined;
  readonly actor?: string | undefined;
  readonly capability?: string | undefined;
  readonly method?: string | undefined;
  readonly client?: string | undefined;
  readonly outcome?: 'ok' | 'denied' | 'invalid' | 'failed' | undefined;
  /** Limits the log to requests whose outcome is not ok. */
  readonly errors?: boolean | undefined;
  /** `1h`, `24h`, `7d`, or two times with a slash between them. */
  readonly span?: string | undefined;
  /** `server id` and `request id` of the open request, with a slash between them. */
  readonly open?: string | undefined;
}

export const outcomes = ['ok', 'denied', 'invalid', 'failed'] as const;
