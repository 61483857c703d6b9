/** Members that are restarted under load, however they are found. */
@NullMarked
package io.fairlead.testkit.layers.discovery;

import org.jspecify.annotations.NullMarked;
