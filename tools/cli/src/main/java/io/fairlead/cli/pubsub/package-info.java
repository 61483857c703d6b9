/** {@code fairlead pub} and {@code fairlead sub}: topics on the command line. */
@NullMarked
package io.fairlead.cli.pubsub;

import org.jspecify.annotations.NullMarked;
