/** The UCX transport. Every call into JUCX and libucp is in this package. */
@NullMarked
package io.fairlead.transport.ucx;

import org.jspecify.annotations.NullMarked;
