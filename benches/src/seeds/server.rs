//! The server that is asked.

use anyhow::{anyhow, ensure};
use larder_servers::{Server, Setup};

/// A Redis server of this run's own: on the loopback, without persistence. It is killed when it is
/// dropped, and when this process ends in any other way.
///
/// # Errors
/// There is no program for one: the sentence says how to get it.
pub(crate) fn server() -> anyhow::Result<(Server, String)> {
    let setup = Setup::find().map_err(|sentence| anyhow!(sentence))?;
    let program = setup.program();
    let named = program.display();
    ensure!(
        program.exists(),
        "there is no {named}, which LARDER_TEST_REDIS_SERVER names"
    );
    let version = setup.version();
    Ok((Server::of(&setup, &[]), version))
}
