/** A feed of rows: a publisher that waits for nobody, and subscribers that know what they have missed. */
@NullMarked
package io.fairlead.samples.pubsub;

import org.jspecify.annotations.NullMarked;
