/** The configuration keys: name, type, default and range of each. {@link io.fairlead.FairleadConfig} holds their values. */
@NullMarked
package io.fairlead.config;

import org.jspecify.annotations.NullMarked;
