/** Publishers and subscribers behind {@link io.fairlead.pubsub}: streams, topic logs, snapshots and their frames. */
@NullMarked
package io.fairlead.pubsub.internal;

import org.jspecify.annotations.NullMarked;
