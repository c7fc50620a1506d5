// Makes numbered accounts, each with its key in the same transaction, until it is killed.

import { createAccount } from '../../src/accounts/accounts.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { databasePath, openDatabase, transaction } from '../../src/db/database.ts'

const db = openDatabase(databasePath(process.argv[2] ?? ''))
const context = { db, now: Date.now }
for (let n = 0; ; n++) {
  transaction(db, () => {
    const { id } = createAccount(context, `number ${n}`, 'trial')
    createKey(context, id, { name: '', permissions: 'all', expiresAt: undefined })
  })
  if (n === 20) process.stdout.write('writing\n')
  await Bun.sleep(0)
}
