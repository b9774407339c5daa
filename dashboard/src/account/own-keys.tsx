/** The keys of the person who is signed in. */

import { useState } from 'react';
import { useList } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { basePath, serverFacts } from '../api/server-facts.ts';
import { Button, NewButton } from '../components/button.tsx';
import { Lead } from '../components/page.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { ListView } from '../components/table/list-view.tsx';
import { Snippet } from '../components/text/snippet.tsx';
import { CreateKeyDialog } from '../keys/create-key-dialog.tsx';
import { KeyTable } from '../keys/key-table.tsx';
import { createOwnKey, useMaxKeyAge } from '../keys/own-key.ts';
import { ownKeysQuery, revokeOwnKey, rollOwnKey } from './queries.ts';

export function OwnKeys() {
  const { query, rows, more } = useList(ownKeysQuery);
  const [isMaking, setMaking] = useState(false);
  const [showsEnded, setShowsEnded] = useState(false);
  const maxAgeDays = useMaxKeyAge();
  const reread = () => invalidate('/me/api-keys');
  const active = rows.filter(({ state }) => state === 'active');
  const ended = rows.length - active.length;
  const shown = (showsEnded ? rows : active).toReversed();
  return (
    <>
      <Lead text="A program that shows one of your keys may do what you may do. Terminals and devices that you connected have their key here too.">
        {ended > 0 ? (
          <Button kind="quiet" aria-pressed={showsEnded} onClick={() => setShowsEnded(!showsEnded)}>
            {showsEnded ? 'Hide ended' : `Show ${ended} ended`}
          </Button>
        ) : null}
        <NewButton onClick={() => setMaking(true)}>New key</NewButton>
      </Lead>
      <div className="-mx-6 max-sm:-mx-4">
        <ListView
          query={query}
          isEmpty={shown.length === 0}
          empty={
            <Empty title="You have no key" action={<Button onClick={() => setMaking(true)}>New key</Button>}>
              <p className="mb-4">
                {serverFacts.apiAuth === 'key'
                  ? 'Flows, workers and the command line need one to reach this server.'
                  : 'Clients of a workspace address and of MCP servers need one.'}
              </p>
              <Snippet
                title="Or let the command line ask for one"
                text={`PREFECT_CLOUD_API_URL=${location.origin}${basePath}/api prefect cloud login`}
              />
            </Empty>
          }
        >
          <KeyTable
            keys={shown}
            onEnd={more}
            onRevoke={async ({ id }) => {
              await revokeOwnKey(id);
              await reread();
            }}
            onRoll={({ id }, form) => rollOwnKey(id, form)}
            onRolled={() => void reread()}
            maxAgeDays={maxAgeDays}
          />
        </ListView>
      </div>
      {isMaking ? (
        <CreateKeyDialog
          owner="yours"
          maxAgeDays={maxAgeDays}
          create={createOwnKey}
          onClose={() => {
            setMaking(false);
            void reread();
          }}
        />
      ) : null}
    </>
  );
}
