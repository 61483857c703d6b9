/** Makes the keys that secure connections. */
@NullMarked
package io.fairlead.cli.keys;

import org.jspecify.annotations.NullMarked;
