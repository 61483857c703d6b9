/**
 * The reference transport: between workers of one process, written to be read. It shows what the SPI asks of a transport in
 * the fewest lines that keep all of it.
 */
@NullMarked
package io.fairlead.testkit.loopback;

import org.jspecify.annotations.NullMarked;
