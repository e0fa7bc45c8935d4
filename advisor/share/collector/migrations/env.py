"""How the changes are run: on the connection that `database.migrate` gives, never by themselves."""

from alembic import context

from advisor.share.collector.tables import Base

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
