/** The files of the home folder to which a database refers, in SQL for both databases. */
export const namedFiles = {
  builds: "select server_id, id from server_build where state = 'succeeded' order by server_id, id",
  uploads: 'select id from server_upload where stored order by id',
} as const;
