/**
 * The reference transport, between workers of one process. It is written to be read: it does all that the SPI asks of a transport, in as few lines as
 * possible.
 */
@NullMarked
package io.fairlead.testkit.loopback;

import org.jspecify.annotations.NullMarked;
