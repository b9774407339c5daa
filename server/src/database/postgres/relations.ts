/** Queries about the tables of a database. A divided table has no rows of its own; its partitions do. */

const ofTables = `from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')`;

/** The bytes of each table, with its indexes and partitions. */
export const listSizes = `select relname as name, case relkind
    when 'p' then (select sum(pg_total_relation_size(relid)) from pg_partition_tree(oid))
    else pg_total_relation_size(oid) end as bytes ${ofTables} and not relispartition`;

/**
 * Tables that have rows and no statistics. Autovacuum analyzes partitions and never a divided table: it is due again when
 * the number of its rows has doubled or halved.
 */
export const listUnanalyzed = `select quote_ident(relname) as name ${ofTables} and case relkind
    when 'r' then reltuples < 0 and pg_relation_size(oid) > 0
    else (select case when pg_class.reltuples < 0 then sum(pg_relation_size(part.oid)) > 0
        else sum(greatest(part.reltuples, 0)) not between pg_class.reltuples / 2 and pg_class.reltuples * 2 end
      from pg_partition_tree(pg_class.oid) tree join pg_class part on part.oid = tree.relid where tree.isleaf) end`;
