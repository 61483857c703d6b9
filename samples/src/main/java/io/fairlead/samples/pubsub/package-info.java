/** {@code fairlead pub} and {@code fairlead sub}: topics on the command line. */
@NullMarked
package io.fairlead.samples.pubsub;

import org.jspecify.annotations.NullMarked;
