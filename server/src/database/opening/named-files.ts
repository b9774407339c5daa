/** The files of the home folder that a database names, in the SQL of both databases. */
export const namedFiles = {
  builds: "select server_id, id from server_build where state = 'succeeded' order by server_id, id",
  uploads: 'select id from server_upload where stored order by id',
} as const;
